create table a (id integer primary key, k integer, t text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
insert into a select i, i * 16807 % 1009, 'text ' || i from n;
create index ak on a (k);
select count(*), sum(k), max(t) from a;
select k, count(*) from a group by k order by 2 desc, 1 limit 3;
select count(*) from a x join a y on x.k = y.k where x.id < y.id;
begin; delete from a where k < 500; rollback;
select total(id), group_concat(t) from (select * from a where k = 17 order by id);
pragma integrity_check;
select * from missing;
