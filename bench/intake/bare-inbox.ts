/** The smallest table that can store a delivery. */
export const BARE_INBOX = `
  create table bare_delivery (
    guid text primary key,
    event text not null,
    installation_id bigint,
    repository_github_id bigint,
    body text,
    status text not null,
    received_at timestamptz not null
  )`;

/** Stores one delivery: its GUID, event and body. */
export const INSERT_BARE = `insert into bare_delivery values ($1, $2, 1, 1001, $3, 'pending', now())`;
