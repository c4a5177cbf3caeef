create table store_probe (beats bigint not null);
insert into store_probe values (41);
insert into wayleave_migrations values ('0003-probe', '2026-11-01T00:00:00.002Z');
