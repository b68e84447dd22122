import { expect, it } from '@jest/globals';
import { heldPages } from './held-pages.js';

type Request = Parameters<NonNullable<typeof heldPages.onRequest>>[0]['request'];

const requestOf = (path: string, workspace = 'acme', method = 'GET'): Request =>
  new Request(`https://shipgate.example${path}`, { method, headers: { 'X-Workspace': workspace } });

/** Sends a request through the middleware. Returns the tag that it named, and the text of the response that its caller sees. */
async function send(request: Request, response: Response): Promise<readonly [string | null, number, string]> {
  const context = { request, response } as unknown;
  await heldPages.onRequest?.(context as Parameters<NonNullable<typeof heldPages.onRequest>>[0]);
  const seen = await heldPages.onResponse?.(context as Parameters<NonNullable<typeof heldPages.onResponse>>[0]);
  const received = seen ?? response;
  return [request.headers.get('If-None-Match'), received.status, await received.text()];
}

const tagged = (body: string, tag: string): Response => new Response(body, { headers: { ETag: tag } });
const unchanged = (): Response => new Response(null, { status: 304 });

it('sends the tag of a page that it holds, and returns its body for a 304', async () => {
  expect(await send(requestOf('/a'), tagged('one', 'W/"1"'))).toEqual([null, 200, 'one']);
  expect(await send(requestOf('/a'), unchanged())).toEqual(['W/"1"', 200, 'one']);
  expect(await send(requestOf('/a'), tagged('two', 'W/"2"'))).toEqual(['W/"1"', 200, 'two']);
  expect(await send(requestOf('/a'), unchanged())).toEqual(['W/"2"', 200, 'two']);
});

it('holds a page for its URL, workspace and method only', async () => {
  await send(requestOf('/b'), tagged('one', 'W/"1"'));
  expect(await send(requestOf('/b?page=2'), tagged('other', 'W/"2"'))).toEqual([null, 200, 'other']);
  expect(await send(requestOf('/b', 'elsewhere'), tagged('other', 'W/"3"'))).toEqual([null, 200, 'other']);
  expect(await send(requestOf('/b', 'acme', 'POST'), tagged('other', 'W/"4"'))).toEqual([null, 200, 'other']);
});

it('removes a page after another answer, and the least recent one of more than 50', async () => {
  await send(requestOf('/c'), tagged('one', 'W/"1"'));
  await send(requestOf('/c'), new Response('{"error":"No."}', { status: 403 }));
  expect(await send(requestOf('/c'), new Response('two'))).toEqual([null, 200, 'two']);
  for (let at = 0; at <= 50; at += 1) await send(requestOf(`/many/${at}`), tagged('one', `W/"${at}"`));
  expect(await send(requestOf('/many/0'), tagged('one', 'W/"0"'))).toEqual([null, 200, 'one']);
  expect(await send(requestOf('/many/50'), unchanged())).toEqual(['W/"50"', 200, 'one']);
});
