-- Up Migration

-- Roles without a login. A server or worker logs in as a member of `tidemark_program`, a report as a member of
-- `tidemark_reader`. Roles belong to the whole server, so another database may have made them. The role that migrates
-- owns the tables, and needs the right to make roles only the first time.
do $$
declare
  role text;
begin
  foreach role in array array['tidemark_program', 'tidemark_reader'] loop
    if not exists (select from pg_roles where rolname = role) then
      execute format('create role %I nologin', role);
    end if;
  end loop;
exception
  when duplicate_object or unique_violation then
    -- Another database made the role at the same time.
end $$;

revoke all on schema tidemark from public;
revoke all on all functions in schema tidemark from public;
grant usage on schema tidemark to tidemark_program, tidemark_reader;
grant execute on all functions in schema tidemark to tidemark_program;
grant select, insert, update, delete on tidemark.sessions, tidemark.shared_texts to tidemark_program;
-- A record is never changed. An incomplete record at the end of a log can be removed.
grant select, insert, delete on tidemark.records to tidemark_program;
grant select on tidemark.sessions, tidemark.records to tidemark_reader;

-- A statement sees only the rows of the tenant that its transaction has named. Without a name it sees none.
alter table tidemark.sessions enable row level security;
alter table tidemark.records enable row level security;
alter table tidemark.shared_texts enable row level security;
create policy tenant on tidemark.sessions using (tenant = current_setting('tidemark.tenant', true));
create policy tenant on tidemark.records using (tenant = current_setting('tidemark.tenant', true));
create policy tenant on tidemark.shared_texts using (tenant = current_setting('tidemark.tenant', true));

-- Down Migration

drop policy tenant on tidemark.shared_texts;
drop policy tenant on tidemark.records;
drop policy tenant on tidemark.sessions;
alter table tidemark.shared_texts disable row level security;
alter table tidemark.records disable row level security;
alter table tidemark.sessions disable row level security;
revoke all on all tables in schema tidemark from tidemark_program, tidemark_reader;
revoke all on all functions in schema tidemark from tidemark_program;
grant execute on all functions in schema tidemark to public;
revoke all on schema tidemark from tidemark_program, tidemark_reader;
