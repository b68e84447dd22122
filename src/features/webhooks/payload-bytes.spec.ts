import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { deliveryIds, type DeliveryIds, PayloadOutline } from './payload-bytes.js';

type Payload = {
  readonly installation?: { readonly id?: unknown } | null;
  readonly repository?: { readonly id?: unknown } | null;
};

const idOf = (value: unknown): number | null => (Number.isSafeInteger(value) ? (value as number) : null);

/** Finds the ids by parsing the whole payload. */
function parsedIds(payload: string): DeliveryIds {
  const { installation, repository } = (JSON.parse(payload) ?? {}) as Payload;
  return { installationId: idOf(installation?.id), repositoryId: idOf(repository?.id) };
}

const found = (payload: string): DeliveryIds => deliveryIds(Buffer.from(payload));

const EXAMPLES = createRequire(import.meta.url)('@octokit/webhooks-examples') as readonly {
  readonly examples: readonly object[];
}[];

describe('deliveryIds', () => {
  it.each([
    ['{"installation":{"id":7},"repository":{"id":12}}', 7, 12],
    ['{ "repository" :\n{\t"name": "x", "id" : 12 , "owner": {"id": 3}} , "a": [] }', null, 12],
    ['{"repository":{"owner":{"id":3},"id":12,"parent":{"id":4}}}', null, 12],
    ['{"workflow_run":{"repository":{"id":1},"id":2},"repository":{"id":12}}', null, 12],
    ['{"repository":{"id":12},"workflow_run":{"repository":{"id":1},"id":2}}', null, 12],
    [String.raw`{"body":"\"repository\":{\"id\":1}, \\","repository":{"d":"\\\"","id":12}}`, null, 12],
    ['{"repository":{"id":1},"repository":{"id":12}}', null, 12],
    ['{"repository":{"id":1},"repository":{}}', null, null],
    ['{"repository":{"id":1},"repository":"id"}', null, null],
    ['{"repository":{"id":1,"id":"x"}}', null, null],
    ['{"repository":["id",1],"installation":"id"}', null, null],
    ['{"repository":[{"id":1}],"installation":[[{"id":1}]]}', null, null],
    ['{"a":"repository","b":{"id":1}}', null, null],
    ['{"installation":{"a":"id","b":5}}', null, null],
    ['[{"repository":{"id":1}}]', null, null],
    ['["repository",{"id":1}]', null, null],
    ['{"repository":{"id":"12"},"installation":{"id":null}}', null, null],
    ['{"repository":{"id":12.5},"installation":{"id":-7}}', -7, null],
    ['{"repository":{"id":1e3},"installation":{"id":9007199254740993}}', null, 1000],
    ['{"repository":{"id":true},"installation":{"id":{"id":1}}}', null, null],
    ['{"repository":null}', null, null],
    ['{"é":"日本語","repository":{"id":12}}', null, 12],
    ['null', null, null],
    ['"repository"', null, null],
    ['7', null, null],
  ])('finds in %s the same ids as JSON.parse', (payload, installationId, repositoryId) => {
    expect(found(payload)).toEqual({ installationId, repositoryId });
    expect(parsedIds(payload)).toEqual({ installationId, repositoryId });
  });

  it.each(['', '{', '{"repository":{"id":', '{"repository":{"id":"', '{"repository', '"\\', '}}]]', '{"a":\\"'])(
    'finds no ids in %j, which is no JSON',
    (payload) => {
      expect(found(payload)).toEqual({ installationId: null, repositoryId: null });
    },
  );

  it('finds in every example of GitHub the same ids as JSON.parse', () => {
    const payloads = EXAMPLES.flatMap(({ examples }) => examples.map((example) => JSON.stringify(example)));
    expect(payloads.length).toBeGreaterThan(300);
    for (const payload of payloads) expect(found(payload)).toEqual(parsedIds(payload));
  });

  it('finds in any JSON the same ids as JSON.parse', () => {
    const name = fc.oneof(fc.constantFrom('installation', 'repository', 'id'), fc.string({ maxLength: 8 }));
    const scalar = fc.oneof(fc.integer(), fc.double(), fc.string({ unit: 'binary', maxLength: 8 }), fc.constant(null));
    const record = fc.dictionary(name, fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })), { maxKeys: 4 });
    const value = fc.oneof(
      scalar,
      record,
      fc.array(record, { maxLength: 2 }),
      fc.dictionary(name, record, { maxKeys: 3 }),
    );
    fc.assert(
      fc.property(fc.dictionary(name, value, { maxKeys: 5 }), fc.constantFrom(0, 2), (payload, indentation) => {
        const text = JSON.stringify(payload, null, indentation);
        expect(found(text)).toEqual(parsedIds(text));
      }),
      { numRuns: 500 },
    );
  });
});

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
