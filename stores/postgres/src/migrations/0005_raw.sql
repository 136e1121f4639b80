-- Up Migration

-- Sessions that are moved from and to another store. An incomplete copy is a row in `sessions` whose size is 0 and whose
-- length is above its start, so no other function finds it.

-- Takes the lease of a session to receive its records. A repeated call of the same owner changes nothing.
create function tidemark.take_copy(
  p_tenant text, p_session text, p_owner text, p_lease_ms integer, p_start bigint, p_chain text
) returns table (outcome text, start bigint, length bigint, chain text, size bigint, fence bigint)
language plpgsql as $$
#variable_conflict use_column
declare
  held tidemark.sessions%rowtype;
  result text := 'taken';
begin
  perform set_config('tidemark.tenant', p_tenant, true);
  insert into tidemark.sessions (tenant, session, start, length, chain, checked)
    values (p_tenant, p_session, p_start, p_start, p_chain, p_start)
    on conflict do nothing;
  select * into held from tidemark.sessions where tenant = p_tenant and session = p_session for update;
  if held.owner is distinct from p_owner and held.owner is not null and held.lease_until > clock_timestamp() then
    result := 'locked';
  elsif held.owner is distinct from p_owner then
    if held.size = 0 and held.start <> p_start then
      delete from tidemark.records where tenant = p_tenant and session = p_session;
      held.length := p_start;
    end if;
    update tidemark.sessions set
      fence = sessions.fence + 1, owner = p_owner,
      lease_until = clock_timestamp() + make_interval(secs => p_lease_ms / 1000.0),
      start = case when sessions.size = 0 then p_start else sessions.start end, length = held.length,
      chain = case when held.length = p_start then p_chain else sessions.chain end
      where tenant = p_tenant and session = p_session
      returning * into held;
  end if;
  return query select result, held.start, held.length, held.chain, held.size, held.fence;
end $$;

-- Appends lines to a copy if the fence and the length are as the caller expects, and renews its lease. Returns the head.
create function tidemark.receive_records(
  p_tenant text, p_session text, p_fence bigint, p_expected bigint, p_chain text, p_lease_ms integer,
  p_at_byte bigint, p_sizes integer[], p_lines bytea
) returns table (done boolean, length bigint, chain text, fence bigint)
language plpgsql as $$
#variable_conflict use_column
declare
  added constant integer := cardinality(p_sizes);
begin
  perform set_config('tidemark.tenant', p_tenant, true), set_config('synchronous_commit', 'off', true);
  update tidemark.sessions set
    length = p_expected + added, chain = p_chain, checked = p_expected + added, changed_at = clock_timestamp(),
    size = case when size = 0 then 0 else size + octet_length(p_lines) end,
    lease_until = clock_timestamp() + make_interval(secs => p_lease_ms / 1000.0)
    where tenant = p_tenant and session = p_session and fence = p_fence and length = p_expected;
  if not found then
    return query select false, s.length, s.chain, s.fence from tidemark.sessions s
      where s.tenant = p_tenant and s.session = p_session;
    return;
  end if;
  insert into tidemark.records
    select p_tenant, p_session, p_expected + n - 1, p_at_byte + total - bytes,
      substring(p_lines from (total - bytes + 1)::integer for bytes)
    from (
      select n, bytes, sum(bytes) over (order by n) as total from unnest(p_sizes) with ordinality as u (bytes, n)
    ) each;
  return query select true, p_expected + added, p_chain, p_fence;
end $$;

-- Makes a copy a session, with a commit that waits for stable storage. The next writer gets a higher fence than the last
-- record. Returns the head; `done` is false if it is not the expected one.
create function tidemark.finish_copy(
  p_tenant text, p_session text, p_owner text, p_length bigint, p_size bigint, p_last_fence bigint, p_lease_ms integer
) returns table (done boolean, length bigint, chain text, fence bigint)
language plpgsql as $$
#variable_conflict use_column
begin
  perform set_config('tidemark.tenant', p_tenant, true);
  update tidemark.sessions set
    size = p_size, fence = greatest(fence, p_last_fence), changed_at = clock_timestamp(),
    lease_until = clock_timestamp() + make_interval(secs => p_lease_ms / 1000.0)
    where tenant = p_tenant and session = p_session and owner = p_owner and length = p_length;
  return query select found, s.length, s.chain, s.fence from tidemark.sessions s
    where s.tenant = p_tenant and s.session = p_session;
end $$;

-- Ends the lease of a session that was held to be copied, and keeps an incomplete copy.
create function tidemark.leave_copy(p_tenant text, p_session text, p_owner text) returns boolean
language plpgsql as $$
begin
  perform set_config('tidemark.tenant', p_tenant, true);
  delete from tidemark.sessions
    where tenant = p_tenant and session = p_session and owner = p_owner and size = 0 and length = start;
  if found then return true; end if;
  update tidemark.sessions set owner = null, lease_until = null
    where tenant = p_tenant and session = p_session and owner = p_owner;
  return found;
end $$;

-- Removes a session that its owner holds. Returns false if another owner holds it, and true if it does not exist.
create function tidemark.remove_session(p_tenant text, p_session text, p_owner text) returns boolean
language plpgsql as $$
begin
  perform set_config('tidemark.tenant', p_tenant, true);
  delete from tidemark.sessions where tenant = p_tenant and session = p_session and owner = p_owner;
  if found then
    delete from tidemark.records where tenant = p_tenant and session = p_session;
    return true;
  end if;
  return not exists (select from tidemark.sessions where tenant = p_tenant and session = p_session);
end $$;

-- A new session with the id of an incomplete copy discards the copy.
create function tidemark.discard_copy() returns trigger language plpgsql as $$
begin
  delete from tidemark.records where tenant = new.tenant and session = new.session and position >= new.length;
  return new;
end $$;

-- An append does not set `start`, so it runs no trigger.
create trigger discard_copy after update of start on tidemark.sessions for each row
  when (old.size = 0 and new.size = 0 and new.length < old.length) execute function tidemark.discard_copy();

revoke all on function tidemark.take_copy, tidemark.receive_records, tidemark.finish_copy, tidemark.leave_copy,
  tidemark.remove_session, tidemark.discard_copy from public;
grant execute on function tidemark.take_copy, tidemark.receive_records, tidemark.finish_copy, tidemark.leave_copy,
  tidemark.remove_session, tidemark.discard_copy to tidemark_program;

-- Down Migration

drop trigger discard_copy on tidemark.sessions;
drop function tidemark.take_copy, tidemark.receive_records, tidemark.finish_copy, tidemark.leave_copy,
  tidemark.remove_session, tidemark.discard_copy;
