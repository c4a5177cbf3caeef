create table filters (network text not null, id text not null, project text, kind text not null, criteria text not null, cursor_number bigint not null, cursor_hash text not null, pending_cursor text, expires_at bigint not null, revision bigint not null, constraint filters_key primary key (network, id));
create index filters_by_expiry on filters (expires_at);
insert into filters values ('mainnet', '0x1', null, 'logs', '{}', 7, '0xabababababababababababababababababababababababababababababababab', null, 4000000000000, 0);
insert into wayleave_migrations values ('0007-filters', '2026-11-01T00:00:00.006Z');
