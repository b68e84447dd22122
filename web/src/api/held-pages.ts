import type { Middleware } from 'openapi-fetch';

/** More pages than a user opens within some minutes. */
const MAX_PAGES = 50;
const NOT_MODIFIED = 304;

interface HeldPage {
  readonly tag: string;
  readonly body: string;
}

/** The pages of lists that this tab has read, the least recent first. They are in memory only, because no cache may store them. */
const pages = new Map<string, HeldPage>();

/** A page depends on the workspace, too. */
const toKey = ({ url, headers }: Request): string => `${headers.get('X-Workspace') ?? ''} ${url}`;

/** Requests a list with the tag of the page that this tab holds, so that an unchanged page is not sent again. */
export const heldPages: Middleware = {
  onRequest: ({ request }) => {
    const held = request.method === 'GET' ? pages.get(toKey(request)) : undefined;
    if (held) request.headers.set('If-None-Match', held.tag);
    return request;
  },
  onResponse: async ({ request, response }) => {
    if (request.method !== 'GET') return undefined;
    const key = toKey(request);
    const held = pages.get(key);
    if (response.status === NOT_MODIFIED && held) return new Response(held.body, { headers: response.headers });
    pages.delete(key);
    const tag = response.headers.get('ETag');
    if (!response.ok || tag === null) return undefined;
    pages.set(key, { tag, body: await response.clone().text() });
    for (const oldest of pages.keys()) {
      if (pages.size <= MAX_PAGES) break;
      pages.delete(oldest);
    }
    return undefined;
  },
};
