create table pin_leases (cid text not null, holder text not null, kind text not null, expires_at bigint not null, constraint pin_leases_key primary key (cid, holder));
create index pin_leases_by_expiry on pin_leases (expires_at);
insert into pin_leases values ('QmLeased', 'a holder', 'pinning', 7);
insert into wayleave_migrations values ('0009-pin-leases', '2026-11-01T00:00:00.008Z');
