create table fee_base_fees (network text not null, part bigint not null, first_number bigint not null, last_number bigint not null, base_fees text not null, constraint fee_base_fees_key primary key (network, part));
insert into fee_base_fees values ('mainnet', 0, 5, 6, '3 4');
insert into wayleave_migrations values ('0006-base-fees', '2026-11-01T00:00:00.005Z');
