create table usage_processes (process text primary key, seq bigint not null, added bigint not null, added_at bigint not null);
create table usage_rows (period text not null, "at" bigint not null, project text not null, "key" text not null, network text not null, method text not null, status text not null, calls bigint not null, credits bigint not null, constraint usage_rows_key primary key (period, "at", project, "key", network, method, status));
create index usage_rows_by_project on usage_rows (project, period, "at");
insert into usage_processes values ('a', 1, 1, 1792999980000);
insert into usage_rows values ('minute', 1792999980000, 'shop', 'k1', 'mainnet', 'eth_call', '2xx', 3, 240);
insert into usage_rows values ('hour', 1792998000000, 'shop', 'k1', 'mainnet', 'eth_call', '2xx', 3, 240);
insert into usage_rows values ('day', 1792972800000, 'shop', 'k1', 'mainnet', 'eth_call', '2xx', 3, 240);
insert into wayleave_migrations values ('0005-usage', '2026-11-01T00:00:00.004Z');
