import { randomBytes } from 'node:crypto';
import { Signer } from '@fastify/cookie';
import { hashSecret } from '../../src/crypto/digests.js';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';
import { cookieOptions } from '../../src/http/request-hooks.js';
import { SESSION_SECRET } from '../measuring/shipgate.js';

/** The maximum number of streams per user. */
export const STREAMS_PER_USER = 5;

const ORG_ID = `md5('organization 1')::uuid`;

/** Creates this many signed-in members of a workspace, and the workspace if there is none. Returns the values of their `Cookie` headers. */
export async function createFollowers(superuserUrl: string, users: number): Promise<readonly string[]> {
  const signer = new Signer(cookieOptions(SESSION_SECRET).secret as Buffer);
  const ids = Array.from({ length: users }, () => randomBytes(32).toString('base64url'));
  await withDedicatedClient(superuserUrl, async (client) => {
    await client.query(
      `insert into organization (org_id, github_id, login, installation_id, plan, created_at)
       values (${ORG_ID}, 1, 'org-1', 1, 'pro', now()) on conflict do nothing`,
    );
    await client.query(
      `select upsert_user(p, 'person-' || p, null, 'https://avatars.example.com/' || p, null, null, null, null, now())
       from generate_series(1, $1::int) p`,
      [users],
    );
    await client.query(
      `insert into member (org_id, person, role, joined_at, confirmed_at, access_observed_at)
       select ${ORG_ID}, p, 'member', now(), now(), now() from generate_series(1, $1::int) p`,
      [users],
    );
    await client.query(
      `select create_session(hash, p, ${ORG_ID}, now()) from unnest($1::bytea[]) with ordinality as given (hash, p)`,
      [ids.map(hashSecret)],
    );
  });
  return ids.map((id) => `connect.sid=${encodeURIComponent(signer.sign(id))}`);
}

/** Inserts an event of that workspace in the form in which the service saves it. */
export const INSERT_EVENT = `
  begin;
  select set_config('app.org_id', (${ORG_ID})::text, true);
  insert into event (org_id, type, at) values (${ORG_ID}, 'sync.progress', now());
  commit`;

/** The notification for the bare server. It contains the text to send. */
export const NOTIFY_BARE = `select pg_notify('bare_events',
  '{"id":"1","type":"sync.progress","org":"org-1","at":"2026-05-04T10:00:00.000Z"}')`;
