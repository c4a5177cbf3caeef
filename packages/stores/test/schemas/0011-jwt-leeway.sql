alter table account_projects add column jwt_leeway_ms integer;
update account_projects set jwt_leeway_ms = 5000 where id = 'shop';
insert into wayleave_migrations values ('0011-jwt-leeway', '2026-11-01T00:00:00.009Z');
