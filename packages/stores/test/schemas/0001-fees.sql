create table wayleave_migrations ("name" varchar(255) not null primary key, timestamp varchar(255) not null);
create table wayleave_migrations_lock (id varchar(255) not null primary key, is_locked integer default 0 not null);
create table fee_networks (network text primary key, head_hash text not null, percentiles text not null);
create table fee_blocks (network text not null, "number" bigint not null, base_fee_per_gas text not null, gas_used_ratio double precision not null, rewards text, constraint fee_blocks_key primary key (network, "number"));
insert into fee_blocks values ('mainnet', 7, '1234567890', 0.5, '["1","2"]');
insert into wayleave_migrations_lock values ('migration_lock', 0);
insert into fee_networks values ('mainnet', '0xab', '[10,50]');
insert into wayleave_migrations values ('0001-fees', '2026-11-01T00:00:00.000Z');
