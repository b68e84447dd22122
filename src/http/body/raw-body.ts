/**
 * What a `raw` route is given. A body beyond the limit is no error there, because the route answers all the same: nothing
 * of it is held, and its bytes pass by once, from the first on, for whoever must know whose they are.
 */
export type RawBody =
  | { readonly oversized: false; readonly bytes: Buffer }
  | { readonly oversized: true; readonly passing: AsyncIterable<Buffer> };
