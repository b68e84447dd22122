import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { deliveryIds } from './delivery-ids.js';
import { PayloadOutline } from './payload-outline.js';

const EXAMPLES = createRequire(import.meta.url)('@octokit/webhooks-examples') as readonly {
  readonly examples: readonly object[];
}[];

/** Returns the outline of a payload that is streamed in chunks of this size. */
async function outlineOf(payload: string, chunkBytes = 7): Promise<Buffer> {
  const bytes = Buffer.from(payload);
  const outline = new PayloadOutline();
  const passed: Buffer[] = [];
  for await (const chunk of outline.collect(chunksOf(bytes, chunkBytes))) passed.push(chunk);
  expect(Buffer.concat(passed)).toEqual(bytes);
  return outline.bytes();
}

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('the outline of a payload', () => {
  it('names the target of every example of GitHub', async () => {
    const payloads = EXAMPLES.flatMap(({ examples }) => examples.map((example) => JSON.stringify(example)));
    for (const payload of payloads) {
      expect(deliveryIds(await outlineOf(payload, 4096))).toEqual(deliveryIds(Buffer.from(payload)));
    }
  });

  it.each([
    ['a long text', { head_commit: { message: 'x'.repeat(2_000_000) } }],
    ['a text that is cut before an escape sequence', { a: { b: `${'x'.repeat(63)}\\"repository":{"id":1}` } }],
    ['a text that is cut within an escape sequence', { a: { b: `${'x'.repeat(62)}\\"repository":{"id":1}` } }],
    ['a text of escape sequences', { a: '\\"\\"'.repeat(100) }],
    ['many nested members', { commits: Array.from({ length: 20_000 }, (_, id) => ({ id, repository: { id } })) }],
    ['a repository with nested ids', { repository: { owner: { id: 1 }, id: 5, parent: { id: 2 } } }],
  ])('is small and names its target besides %s', async (_name, more) => {
    const payload = JSON.stringify({ repository: { id: 5 }, ...more, installation: { id: 7 } });
    const outline = await outlineOf(payload, 1000);
    expect(outline.length).toBeLessThan(65_536);
    expect(deliveryIds(outline)).toEqual({ installationId: 7, repositoryId: 5 });
  });

  it('is empty if it would be large itself', async () => {
    const members = Array.from({ length: 20_000 }, (_, index) => [`m${index}`, index] as const);
    expect(await outlineOf(JSON.stringify(Object.fromEntries(members)), 1000)).toHaveLength(0);
  });
});
