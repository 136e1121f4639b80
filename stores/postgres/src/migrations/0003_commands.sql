-- Up Migration

-- Commands that servers send to sessions: prompts, messages to a running turn, answers, interrupts and others. The
-- worker that holds the session runs them in order. A row is kept until its sender has read the answer, or for an hour.
create table tidemark.commands (
  id bigint generated always as identity primary key,
  tenant text not null,
  session text not null,
  -- The request of the command: method, path and body.
  request jsonb not null,
  -- Name of the person or program that sent it, for the audit trail.
  sent_by text not null,
  sent_at timestamptz not null default clock_timestamp(),
  -- Worker that runs it, until a time by the clock of the database, and the length of the log before it ran.
  worker text,
  worker_until timestamptz,
  began_at_length bigint,
  -- The answer: status and body.
  answer jsonb,
  answered_at timestamptz
);
create index commands_waiting on tidemark.commands (tenant, session, id) where answered_at is null;
create index commands_answered on tidemark.commands (answered_at) where answered_at is not null;

-- Sessions that a writer holds or held when it was killed. An append does not change `owner`, so it updates no index.
create index sessions_held on tidemark.sessions (tenant, session) where owner is not null;

alter table tidemark.commands enable row level security;
create policy tenant on tidemark.commands using (tenant = current_setting('tidemark.tenant', true));
grant select, insert, update, delete on tidemark.commands to tidemark_program;

create function tidemark.send_command(p_tenant text, p_session text, p_request jsonb, p_sent_by text) returns bigint
language plpgsql as $$
declare
  created bigint;
begin
  perform set_config('tidemark.tenant', p_tenant, true);
  insert into tidemark.commands (tenant, session, request, sent_by)
    values (p_tenant, p_session, p_request, p_sent_by) returning id into created;
  return created;
end $$;

-- Takes the next command of a session for a worker. With `p_holds`, the worker must hold the session: a worker that was
-- stopped may still believe it. Without, no other worker may hold it. A command whose worker was killed can be taken
-- again: its `began_at_length` is then the length of the log before the first try.
create function tidemark.take_command(
  p_tenant text, p_session text, p_worker text, p_holds boolean, p_lease_ms integer
) returns table (id bigint, request jsonb, began_at_length bigint, is_repeated boolean)
language plpgsql as $$
#variable_conflict use_column
declare
  holder text;
  length_now bigint;
begin
  perform set_config('tidemark.tenant', p_tenant, true);
  select case when lease_until > clock_timestamp() then owner end, length into holder, length_now
    from tidemark.sessions where tenant = p_tenant and session = p_session;
  if p_holds and not coalesce(starts_with(holder, p_worker || '/'), false) then return; end if;
  if not starts_with(holder, p_worker || '/') then return; end if;
  return query
    update tidemark.commands c set
      worker = p_worker, worker_until = clock_timestamp() + make_interval(secs => p_lease_ms / 1000.0),
      began_at_length = coalesce(c.began_at_length, length_now, 0)
    from (
      select id, began_at_length is not null as is_repeated, worker, worker_until from tidemark.commands
      where tenant = p_tenant and session = p_session and answered_at is null
      order by id limit 1 for update
    ) next
    where c.id = next.id
      and (next.worker is null or next.worker = p_worker or next.worker_until < clock_timestamp())
    returning c.id, c.request, c.began_at_length, next.is_repeated;
end $$;

-- Keeps the commands that a worker is running.
create function tidemark.keep_commands(p_tenant text, p_ids bigint[], p_worker text, p_lease_ms integer) returns void
language plpgsql as $$
begin
  perform set_config('tidemark.tenant', p_tenant, true);
  update tidemark.commands set worker_until = clock_timestamp() + make_interval(secs => p_lease_ms / 1000.0)
    where tenant = p_tenant and id = any (p_ids) and worker = p_worker and answered_at is null;
end $$;

-- Records the answer of a command. Only its worker can do it, and only once.
create function tidemark.answer_command(p_tenant text, p_id bigint, p_worker text, p_answer jsonb) returns boolean
language plpgsql as $$
begin
  perform set_config('tidemark.tenant', p_tenant, true);
  update tidemark.commands set answer = p_answer, answered_at = clock_timestamp()
    where tenant = p_tenant and id = p_id and worker = p_worker and answered_at is null;
  return found;
end $$;

-- Gives a command back that its worker could not begin. Its next run is its first one.
create function tidemark.return_command(p_tenant text, p_id bigint, p_worker text) returns void
language plpgsql as $$
begin
  perform set_config('tidemark.tenant', p_tenant, true);
  update tidemark.commands set worker = null, worker_until = null, began_at_length = null
    where tenant = p_tenant and id = p_id and worker = p_worker and answered_at is null;
end $$;

create function tidemark.answers_of(p_tenant text, p_ids bigint[]) returns table (id bigint, answer jsonb)
language plpgsql as $$
#variable_conflict use_column
begin
  perform set_config('tidemark.tenant', p_tenant, true);
  return query select id, answer from tidemark.commands
    where tenant = p_tenant and id = any (p_ids) and answered_at is not null;
end $$;

-- Returns those of the sessions that have a command to take.
create function tidemark.sessions_with_commands(p_tenant text, p_sessions text[]) returns table (session text)
language plpgsql as $$
#variable_conflict use_column
begin
  perform set_config('tidemark.tenant', p_tenant, true);
  return query select distinct session from tidemark.commands
    where tenant = p_tenant and session = any (p_sessions) and answered_at is null;
end $$;

-- Returns the sessions of all tenants that need a worker: a command waits that no worker runs, or the writer of the
-- session was killed. It has the rights of the owner, because it names no tenant; it returns only names.
create function tidemark.sessions_with_work(p_most integer) returns table (tenant text, session text)
language sql security definer set search_path = pg_catalog as $$
  select distinct tenant, session from (
    select c.tenant, c.session from tidemark.commands c
      where c.answered_at is null and (c.worker_until is null or c.worker_until < clock_timestamp())
        and not exists (
          select from tidemark.sessions s where s.tenant = c.tenant and s.session = c.session
            and s.owner is not null and s.lease_until > clock_timestamp()
        )
    union all
    select s.tenant, s.session from tidemark.sessions s
      where s.owner is not null and s.lease_until < clock_timestamp()
  ) work limit p_most
$$;

-- Removes answered commands of all tenants that are older than a time.
create function tidemark.forget_commands(p_seconds integer) returns bigint
language sql security definer set search_path = pg_catalog as $$
  with removed as (
    delete from tidemark.commands where answered_at < clock_timestamp() - make_interval(secs => p_seconds) returning 1
  )
  select count(*) from removed
$$;

revoke all on all functions in schema tidemark from public;
grant execute on all functions in schema tidemark to tidemark_program;

-- Down Migration

drop function tidemark.send_command, tidemark.take_command, tidemark.keep_commands, tidemark.answer_command,
  tidemark.return_command, tidemark.answers_of, tidemark.sessions_with_commands, tidemark.sessions_with_work,
  tidemark.forget_commands;
drop index tidemark.sessions_held;
drop table tidemark.commands;
