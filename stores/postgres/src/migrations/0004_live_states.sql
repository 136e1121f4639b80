-- Up Migration

-- State of the running sessions that is not in their logs, such as text that is arriving. The worker that holds a session
-- writes it, and servers of any machine show it. It is lost after a crash of the database, and the worker writes it again.
-- `state` is JSON in a text, because it can contain characters that `jsonb` refuses.
create unlogged table tidemark.live_states (
  tenant text not null,
  session text not null,
  -- Number of the writer that held the session.
  fence bigint not null,
  state text not null check (octet_length(state) <= 4194304),
  primary key (tenant, session)
) with (fillfactor = 50);

alter table tidemark.live_states enable row level security;
create policy tenant on tidemark.live_states using (tenant = current_setting('tidemark.tenant', true));
grant select, insert, update, delete on tidemark.live_states to tidemark_program;

-- Stores the state of a session that has a writer. Null removes it.
create function tidemark.put_live_state(p_tenant text, p_session text, p_state text) returns void
language plpgsql as $$
begin
  perform set_config('tidemark.tenant', p_tenant, true), set_config('synchronous_commit', 'off', true);
  if p_state is null then
    delete from tidemark.live_states where tenant = p_tenant and session = p_session;
    return;
  end if;
  insert into tidemark.live_states as l (tenant, session, fence, state)
    select s.tenant, s.session, s.fence, p_state from tidemark.sessions s
      where s.tenant = p_tenant and s.session = p_session and s.owner is not null
    on conflict (tenant, session) do update set fence = excluded.fence, state = excluded.state;
end $$;

-- Returns the states of those sessions whose writer still holds them.
create function tidemark.live_states_of(p_tenant text, p_sessions text[]) returns table (session text, state text)
language plpgsql as $$
#variable_conflict use_column
begin
  perform set_config('tidemark.tenant', p_tenant, true);
  return query select l.session, l.state from tidemark.live_states l
    join tidemark.sessions s on s.tenant = l.tenant and s.session = l.session and s.fence = l.fence
    where l.tenant = p_tenant and l.session = any (p_sessions)
      and s.owner is not null and s.lease_until > clock_timestamp();
end $$;

-- Removes the states of all tenants whose writer does not hold the session any more.
create function tidemark.forget_live_states() returns bigint
language sql security definer set search_path = pg_catalog as $$
  with removed as (
    delete from tidemark.live_states l where not exists (
      select from tidemark.sessions s where s.tenant = l.tenant and s.session = l.session and s.fence = l.fence
        and s.owner is not null and s.lease_until > clock_timestamp()
    ) returning 1
  )
  select count(*) from removed
$$;

revoke all on function tidemark.put_live_state, tidemark.live_states_of, tidemark.forget_live_states from public;
grant execute on function tidemark.put_live_state, tidemark.live_states_of, tidemark.forget_live_states
  to tidemark_program;

-- Down Migration

drop function tidemark.put_live_state, tidemark.live_states_of, tidemark.forget_live_states;
drop table tidemark.live_states;
