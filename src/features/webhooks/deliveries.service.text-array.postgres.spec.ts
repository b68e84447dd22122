import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { textArray } from './deliveries.service.js';

describe('textArray', () => {
  let database: TestDatabase;
  let client: Client;
  beforeAll(async () => {
    database = await createTestDatabase();
    client = new Client(database.appUrl);
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const read = async (texts: readonly (Buffer | null)[]): Promise<unknown> => {
    const { rows } = await client.query<{ texts: unknown }>('select $1::text[] as texts', [textArray(texts)]);
    return rows[0]?.texts;
  };

  it.each([
    ['one', ['push']],
    ['several with an empty one', ['a', '', 'c']],
    ['null among others', [null, 'a', null]],
    ['null alone', [null]],
    ['characters that a text format must escape', ['{"a": "b\\"c"}', 'NULL', ' , {} ', '\n\t']],
    ['more bytes than letters', ['日本語', '🚢', 'é']],
    ['long ones', ['x'.repeat(70_000), 'y'.repeat(70_000)]],
  ] as const)('is parsed by Postgres: %s', async (_, texts) => {
    expect(await read(texts.map((text) => (text === null ? null : Buffer.from(text))))).toEqual(texts);
  });

  it.each([
    ['a zero byte', Buffer.from('a\0b')],
    ['invalid UTF-8', Buffer.from([0xc3, 0x28])],
  ])('is rejected as a whole with %s in it', async (_, bytes) => {
    await expect(read([Buffer.from('fine'), bytes])).rejects.toMatchObject({ code: '22021' });
    expect(await read([Buffer.from('fine')])).toEqual(['fine']);
  });
});
