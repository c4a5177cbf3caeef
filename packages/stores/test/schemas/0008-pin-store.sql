create table pin_store (slot integer primary key, store text not null);
insert into pin_store values (1, 'a store');
insert into wayleave_migrations values ('0008-pin-store', '2026-11-01T00:00:00.007Z');
