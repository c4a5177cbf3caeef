create table pin_projects (project text primary key, stored_bytes bigint not null);
create table pins (project text not null, cid text not null, "type" text not null, "name" text, bytes bigint not null, constraint pins_key primary key (project, cid));
create index pins_by_cid on pins (cid, "type");
create table pin_transfers (project text not null, month text not null, uploaded_bytes bigint not null, downloaded_bytes bigint not null, constraint pin_transfers_key primary key (project, month));
insert into pin_projects values ('p', 5);
insert into pins values ('p', 'QmA', 'recursive', 'a name', 5);
insert into pin_transfers values ('p', '2026-11', 8, 9);
insert into wayleave_migrations values ('0002-pins', '2026-11-01T00:00:00.001Z');
