import { gzipSync } from 'node:zlib';

/** A request with a large body. */
export interface BodySample {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

const MEGABYTE = 1_000_000;
/** Below the limit of 10 MB for JSON. */
const JSON_BYTES = 9.9 * MEGABYTE;
/** Below the limit of 5 MB for a file in JSON. */
const FILE_BYTES = 4.9 * MEGABYTE;
/** Below the limit of 10 MB for a file of a form. */
const FORM_FILE_BYTES = 9.9 * MEGABYTE;

const repeat = (part: string, bytes: number): string => part.repeat(Math.floor(bytes / part.length));
const buildList = (item: string, bytes: number): string => `[${repeat(`${item},`, bytes - 20)}${item}]`;

const envelope = (members: string): string =>
  `{"repo":"service-1","version":"v1.1.0","pipeline":"bodies","commit_sha":"${'f'.repeat(40)}",${members}}`;

const json = (name: string, members: string): BodySample => ({
  name,
  path: '/api/evidence/upload',
  headers: { 'content-type': 'application/json' },
  bytes: Buffer.from(envelope(members)),
});

const compressed = (sample: BodySample, name: string): BodySample => ({
  ...sample,
  name,
  headers: { ...sample.headers, 'content-encoding': 'gzip' },
  bytes: gzipSync(sample.bytes, { level: 1 }),
});

function form(name: string, parts: Readonly<Record<string, string>>): BodySample {
  const fields = {
    repo: 'service-1',
    version: 'v1.1.0',
    pipeline: 'bodies',
    commit_sha: 'f'.repeat(40),
    ...parts,
  };
  const text = Object.entries(fields)
    .map(([part, value]) => {
      const file = part.startsWith('file') ? `; filename="${part}.xml"` : '';
      return `--b\r\nContent-Disposition: form-data; name="${file ? 'file' : part}"${file}\r\n\r\n${value}\r\n`;
    })
    .join('');
  return {
    name,
    path: '/api/evidence/upload-report',
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    bytes: Buffer.from(`${text}--b--\r\n`),
  };
}

const members = (count: number, value: string): string =>
  Array.from({ length: count }, (_, at) => `"m${at}":${value}`).join(',');
const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const junit = (bytes: number): string =>
  `<testsuite>${repeat('<testcase classname="a.b" name="t" time="0.1"/>', bytes)}</testsuite>`;
/** Tests below one suite, half of the bytes in the name of the suite and half in the tests. */
const longSuite = (bytes: number): string =>
  `<testsuite name='${'s'.repeat(bytes / 2)}'>${repeat('<testcase/>', bytes / 2)}</testsuite>`;
const longPlaywrightSuite = (bytes: number): string => {
  const test = { status: 'skipped', expectedStatus: 'skipped', results: [] };
  const title = 's'.repeat(bytes / 2);
  const specs = Array.from({ length: bytes / 2 / 80 }, (_, at) => ({ title: `t${at}`, tests: [test] }));
  return JSON.stringify({ config: {}, errors: [], suites: [{ title, specs }] });
};
const longTapSubtest = (bytes: number): string =>
  `TAP version 14\n# Subtest: ${'s'.repeat(bytes / 2)}\n${repeat('    ok\n', bytes / 2)}ok\n`;
const files = (count: number, content: string): string =>
  `"files":[${Array.from({ length: count }, (_, at) => JSON.stringify({ filename: `f${at}.xml`, content })).join(',')}]`;

/** Returns expensive bodies, each below the limits of size. The service rejects most of them. */
export function samples(): readonly BodySample[] {
  const objects = buildList('{"a":1}', JSON_BYTES);
  const large = json('reports of small objects', `"reports":{"a":${objects}}`);
  return [
    json('metrics of small objects', `"metrics":{"a":${objects}}`),
    json('metrics of 9,900 members', `"metrics":{${members(9_900, '1')}}`),
    large,
    json('reports of lists nested 60 levels', `"reports":{"a":${buildList(nested(60), JSON_BYTES)}}`),
    json('reports of a long text', `"reports":{"a":"${'x'.repeat(JSON_BYTES)}"}`),
    json('reports of escapes', `"reports":{"a":"${repeat('\\u0041', JSON_BYTES)}"}`),
    json('reports of long numbers', `"reports":{"a":${buildList('1'.repeat(300), JSON_BYTES)}}`),
    json('reports of 450,000 members', `"reports":{"a":{${members(450_000, '{}')}}}`),
    json('reports of many names', `"reports":{${members(400_000, '1')}}`),
    json(
      'a duplicate name at the end',
      `"reports":{"a":${buildList('0', JSON_BYTES)}},"kind":"unit_tests","kind":"sbom"`,
    ),
    json('an unknown member', `"other":${objects}`),
    json('a field of 9.9 MB', `"run_url":"https://${'x'.repeat(JSON_BYTES)}","metrics":{}`),
    json('500 small files', files(500, '<testsuite><testcase name="a"/></testsuite>')),
    json('64 KB of JUnit below a long suite', files(1, longSuite(64_000))),
    json('JUnit below a long suite', files(1, longSuite(1.9 * MEGABYTE))),
    json('Playwright below a long suite', files(1, longPlaywrightSuite(2.2 * MEGABYTE))),
    json('TAP below a long subtest', files(1, longTapSubtest(2.2 * MEGABYTE))),
    json('two JUnit files of 4.6 MB', files(2, junit(FILE_BYTES * 0.94).replaceAll('"', "'"))),
    compressed(json('', `"reports":{"a":${buildList('{"a":1}', 49 * MEGABYTE)}}`), '49 MB of objects as gzip'),
    compressed(json('', `"reports":{"a":"${'x'.repeat(49 * MEGABYTE)}"}`), '49 MB of text as gzip'),
    form('form: metrics of small objects', { metrics: `{"a":${buildList('{"a":1}', FORM_FILE_BYTES)}}` }),
    form('form: two JUnit files of 9.9 MB', { file1: junit(FORM_FILE_BYTES), file2: junit(FORM_FILE_BYTES) }),
  ];
}
