import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type Probe, startProbeApp } from '../../../test/support/probe-app.js';

const MB = 1_048_576;

let probe: Probe;

beforeAll(async () => {
  probe = await startProbeApp();
});
afterAll(() => probe.app.close());

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const JSON_TYPE = { 'content-type': 'application/json' };

async function post(path: string, body: string | Buffer, headers: Record<string, string> = JSON_TYPE): Promise<Answer> {
  const response = await fetch(`${probe.url}${path}`, { method: 'POST', body, headers });
  return { status: response.status, body: await response.json() };
}

/** Writes a body of `pieces` megabytes completely before it reads, as simple clients do. */
function writeAllThenRead(path: string, megabytes: number, length: 'announced' | 'chunked'): Promise<Answer> {
  const block = Buffer.alloc(MB, 0x20);
  const framed =
    length === 'announced' ? block : Buffer.concat([Buffer.from('100000\r\n'), block, Buffer.from('\r\n')]);
  const framing = length === 'announced' ? `content-length: ${megabytes * MB}` : 'transfer-encoding: chunked';
  return new Promise((resolve, reject) => {
    const socket = connect(probe.port, '127.0.0.1');
    socket.on('error', reject);
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: probe\r\nauthorization: Bearer x\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`,
    );
    let written = 0;
    const write = (): void => {
      while (written < megabytes) {
        written += 1;
        if (!socket.write(framed)) {
          socket.once('drain', write);
          return;
        }
      }
      if (length === 'chunked') socket.write('0\r\n\r\n');
      socket.once('data', (answer) => {
        const [head = '', body = ''] = answer.toString().split('\r\n\r\n');
        socket.destroy();
        resolve({ status: Number(head.split(' ')[1]), body: JSON.parse(body) });
      });
    };
    write();
  });
}

const rejection = (status: number, error: string): Answer => ({ status, body: { error } });

const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('a JSON body', () => {
  it.each<[string, string | Buffer, number, string]>([
    ['that ends too early', '{"a": [1, 2', 400, 'The body is not valid JSON at line 1, column 12.'],
    ['with a stray word', '{\n  "a": secret\n}', 400, 'The body is not valid JSON at line 2, column 8.'],
    ['with a raw control character', '{"a": "x\u0001"}', 400, 'The body is not valid JSON at line 1, column 9.'],
    ['of bad UTF-8', Buffer.from([0x22, 0xff, 0x22]), 400, 'The body is not valid UTF-8.'],
    ['with a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 400, 'The body is not valid UTF-8.'],
    ['with a NUL', '{"a": {"b": ["x", "y\\u0000"]}}', 400, 'a.b.1 contains a NUL character.'],
    ['with a NUL in a name', '{"a": {"b\\u0000": 1}}', 400, 'a has a name with a NUL character.'],
    ['with only a NUL', '"\\u0000"', 400, 'The body contains a NUL character.'],
    ['with a high surrogate', '{"a": "\\ud800"}', 400, 'a contains half of a surrogate pair.'],
    ['with a low surrogate', '{"a": ["\\udc00x"]}', 400, 'a.0 contains half of a surrogate pair.'],
    ['with reversed surrogates', '{"a": "\\udc00\\ud800"}', 400, 'a contains half of a surrogate pair.'],
    ['with a surrogate in a name', '{"\\ud800": 1}', 400, 'The body has a name with half of a surrogate pair.'],
    ['with an infinite number', '{"a": -1e999}', 400, 'a is a number beyond range.'],
    ['with __proto__', '{"a": {"__proto__": {"b": 1}}}', 400, 'a must not have a member "__proto__".'],
    ['with an escaped __proto__', '{"__pr\\u006fto__": 1}', 400, 'The body must not have a member "__proto__".'],
    [
      'with a duplicate name',
      '{"a": 1, "b": {"c": 1, "\\u0063": 2}}',
      400,
      'The body has an object that gives one name twice.',
    ],
    ['nested 65 levels', deep(65), 413, 'The body is nested deeper than 64 levels at character 65.'],
    ['nested 100,000 levels', deep(100_000), 413, 'The body is nested deeper than 64 levels at character 65.'],
    ['one byte above 256 KB', `"${'x'.repeat(262_143)}"`, 413, 'The body is larger than 262144 bytes.'],
  ])('rejects a body %s', async (_name, body, status, error) => {
    expect(await post('/probe/json', body)).toEqual(rejection(status, error));
  });

  it('rejects an upload with 500,000 nested levels', async () => {
    const { status, body } = await post('/probe/upload', deep(500_000));
    expect({ status, body }).toEqual(rejection(413, 'The body is nested deeper than 64 levels at character 65.'));
  });

  it.each([
    ['nested 64 levels', deep(64)],
    ['of 256 KB', `"${'x'.repeat(262_142)}"`],
    ['with text that resembles structure', '{"a": "[[[{{{::: \\\\\\" }", "\\"b:": "\\\\"}'],
    ['with a whole surrogate pair', '"\\ud83d\\ude80 🚀"'],
    ['with a name that every object has', '{"constructor": {"prototype": 1}, "toString": 2}'],
    ['with one name in two objects', '[{"a": 1}, {"a": {"a": 2}}]'],
    ['of one number', '1.5e-7'],
  ])('accepts a body %s without a change', async (_name, body) => {
    expect(await post('/probe/json', body)).toEqual({ status: 200, body: { received: JSON.parse(body) } });
  });

  it('accepts a byte order mark', async () => {
    expect(await post('/probe/json', '\ufeff{"a":1}')).toEqual({ status: 200, body: { received: { a: 1 } } });
  });

  it('accepts a missing body', async () => {
    expect(await post('/probe/json', '')).toEqual({ status: 200, body: { received: null } });
  });

  it.each([
    ['text/plain', 'x'],
    ['application/x-www-form-urlencoded', 'a=b'],
    ['multipart/form-data; boundary=x', '--x--'],
    ['application/json; charset=iso-8859-1', '{}'],
    ['application/jsonp', '{}'],
    ['application', '{}'],
  ])('rejects the type %s', async (type, body) => {
    const answer = await post('/probe/json', body, { 'content-type': type });
    expect(answer.status).toBe(415);
    expect(Object.keys(answer.body as object)).toEqual(['error']);
  });

  it('rejects a body without a type', async () => {
    const { status } = await post('/probe/json', Buffer.from('{}'), {});
    expect(status).toBe(415);
  });

  it.each(['application/json', 'application/JSON; charset=UTF-8', 'application/json;charset="utf-8"'])(
    'accepts the type %s',
    async (type) => {
      expect((await post('/probe/json', '{}', { 'content-type': type })).status).toBe(200);
    },
  );
});

describe('a body on a route without a body', () => {
  it.each(['', '{}', '{"sha":"of no consequence"}', '[1]'])(
    'ignores the body %j on a route without a body',
    async (body) => {
      expect(await post('/probe/bodiless', body)).toEqual({ status: 200, body: { done: true } });
    },
  );

  it.each([
    ['is no JSON', '{"sha"', JSON_TYPE, 400],
    ['is too large', `"${'x'.repeat(MB)}"`, JSON_TYPE, 413],
    ['is of another type', 'sha=1', { 'content-type': 'text/plain' }, 415],
  ])('rejects a body on a route without a body if it %s', async (_name, body, headers, status) => {
    expect((await post('/probe/bodiless', body, headers)).status).toBe(status);
  });
});

describe('a gzip body', () => {
  const gzip = { ...JSON_TYPE, 'content-encoding': 'gzip' };

  it('decompresses a gzip body', async () => {
    expect(await post('/probe/json', gzipSync('{"a":"b"}'), gzip)).toEqual({
      status: 200,
      body: { received: { a: 'b' } },
    });
  });

  it.each<[string, Buffer, number, RegExp]>([
    ['that is truncated', gzipSync('{"a":"b"}').subarray(0, 20), 400, /^The body is not valid gzip: /],
    ['that is not compressed', Buffer.from('{"a":"b"}'), 400, /^The body is not valid gzip: /],
    ['with a wrong checksum', corrupted(gzipSync('{"a":"b"}')), 400, /^The body is not valid gzip: /],
    [
      'above the limit when decompressed',
      gzipSync(Buffer.alloc(262_145, 0x20)),
      413,
      /^The body is larger than 262144 bytes/,
    ],
  ])('rejects a gzip body %s', async (_name, body, status, error) => {
    const answer = await post('/probe/json', body, gzip);
    expect(answer).toEqual({ status, body: { error: expect.stringMatching(error) } });
  });

  it('rejects a gzip body with a high ratio before it is decompressed completely', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * MB, 0x20));
    const before = process.memoryUsage().rss;
    const answer = await post('/probe/upload', bomb, gzip);
    expect(answer).toEqual(rejection(413, 'The body inflates to more than 250 times its size.'));
    expect(process.memoryUsage().rss - before).toBeLessThan(60 * MB);
  });

  it('rejects a gzip body above the limit of a decompressed upload', async () => {
    const line = (): string => randomBytes(4).toString('hex').repeat(16);
    const block = Buffer.from(Array.from({ length: MB / 128 }, line).join(''));
    const noisy = gzipSync(Buffer.concat(Array.from({ length: 51 }, () => block)));
    const answer = await post('/probe/upload', noisy, gzip);
    expect(answer).toEqual(rejection(413, `The body is larger than ${50 * MB} bytes.`));
  });

  it('rejects another content encoding', async () => {
    const response = await fetch(`${probe.url}/probe/json`, {
      method: 'POST',
      body: '{}',
      headers: { ...JSON_TYPE, 'content-encoding': 'br' },
    });
    expect([response.status, response.headers.get('accept-encoding')]).toEqual([415, 'gzip']);
  });
});

describe('an upload', () => {
  it('accepts an upload of 10 MB', async () => {
    const { status, body } = await post('/probe/upload', `"${'x'.repeat(10 * MB - 2)}"`);
    expect({ status, body }).toEqual({ status: 200, body: { characters: 10 * MB } });
  });

  it.each([
    ['/probe/upload', 'chunked', 10 * MB],
    ['/probe/upload', 'announced', 10 * MB],
    ['/probe/json', 'chunked', 262_144],
  ] as const)(
    'rejects 200 MB to %s, %s, with little memory, and serves the next request',
    async (path, length, limit) => {
      const before = process.memoryUsage().rss;
      const answer = await writeAllThenRead(path, 200, length);
      expect(answer).toEqual(rejection(413, `The body is larger than ${limit} bytes.`));
      expect(process.memoryUsage().rss - before).toBeLessThan(100 * MB);
      expect((await post('/probe/json', '{}')).status).toBe(200);
    },
  );
});

/** Sends a body of spaces in chunks of one byte. Returns everything that was received until the connection closed. */
function postInBytes(path: string, bytes: number, end = ''): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(probe.port, '127.0.0.1');
    let answer = '';
    socket.on('data', (data) => (answer += data.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: probe\r\nauthorization: Bearer x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
    );
    socket.write('1\r\n \r\n'.repeat(bytes) + end);
    if (end !== '') socket.end();
  });
}

describe('a body in chunks of one byte', () => {
  it.each(['/probe/json', '/probe/upload', '/probe/raw'])(
    'rejects a body of many one-byte chunks at %s',
    async (path) => {
      const answer = await postInBytes(path, 20_000);
      expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*connection: close/i);
      expect(answer).toContain('The body arrives in chunks of less than 64 bytes. Send larger chunks.');
    },
  );

  it('accepts a body of few one-byte chunks', async () => {
    expect(await postInBytes('/probe/raw', 4_000, '0\r\n\r\n')).toMatch(/^HTTP\/1\.1 202 /);
  });
});

describe('a raw body', () => {
  it.each([
    ['that is no JSON', 'hello', { 'content-type': 'application/json' }],
    ['of a form', 'payload=%7B%7D', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['with a gzip encoding', 'not gzip', { 'content-encoding': 'gzip', 'content-type': 'application/json' }],
  ])('passes a raw body %s byte for byte', async (_name, body, headers) => {
    expect(await post('/probe/raw', body, headers)).toEqual({ status: 202, body: { oversized: false, bytes: body } });
  });

  it('passes a raw body of up to 1 MB, and reports a larger one as oversized', async () => {
    const full = 'x'.repeat(MB);
    expect(await post('/probe/raw', full)).toEqual({ status: 202, body: { oversized: false, bytes: full } });
    expect(await post('/probe/raw', `${full}x`)).toEqual({ status: 202, body: { oversized: true, passed: MB + 1 } });
    expect(await writeAllThenRead('/probe/raw', 25, 'chunked')).toEqual({
      status: 202,
      body: { oversized: true, passed: 25 * MB },
    });
  });
});

function corrupted(gzip: Buffer): Buffer {
  const copy = Buffer.from(gzip);
  copy.writeUInt8(copy.readUInt8(copy.length - 6) ^ 0xff, copy.length - 6);
  return copy;
}
