/** What a `raw` route is given: a body beyond the limit is no error there, because the route answers all the same. */
export type RawBody = { readonly oversized: false; readonly bytes: Buffer } | { readonly oversized: true };
