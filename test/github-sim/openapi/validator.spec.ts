import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { Exchange } from '../exchange-observer.js';
import { readOpenApiDescription } from './openapi-description.js';
import { OpenApiValidator } from './validator.js';

const validator = new OpenApiValidator();
const SHA = '6dcb09b5b57875f334f61aebed695e2e4193db5e';

const get = (path: string, responseBody: unknown, rest: Partial<Exchange> = {}): Exchange => ({
  method: 'GET',
  path,
  query: {},
  requestHeaders: { 'user-agent': 'shipgate', accept: 'application/vnd.github+json' },
  requestBody: undefined,
  status: 200,
  responseBody,
  ...rest,
});

const send = (method: string, path: string, requestBody: unknown, status: number, responseBody: unknown): Exchange => ({
  ...get(path, responseBody, { method, requestBody, status }),
  requestHeaders: { 'User-Agent': 'shipgate', 'Content-Type': 'application/json; charset=utf-8' },
});

const ref = {
  ref: 'refs/heads/shipgate/evidence/v1.2.3',
  node_id: 'REF_1',
  url: 'http://127.0.0.1:4000/repos/acme/payments/git/refs/heads/shipgate/evidence/v1.2.3',
  object: { type: 'commit', sha: SHA, url: `http://127.0.0.1:4000/repos/acme/payments/git/commits/${SHA}` },
};
const createRef = send('POST', '/repos/acme/payments/git/refs', { ref: ref.ref, sha: SHA }, 201, ref);
const matchingRefs = get('/repos/acme/payments/git/matching-refs/heads/release/', [ref]);
const permission = get('/repos/acme/payments/collaborators/ada/permission', {
  permission: 'write',
  role_name: 'write',
  user: null,
});
const delivery = {
  id: 12,
  guid: '0b989ba4-242f-11e5-81e1-c7b6966d2516',
  delivered_at: '2026-03-01T10:00:00Z',
  redelivery: false,
  duration: 0.27,
  status: 'OK',
  status_code: 202,
  event: 'issues',
  action: 'opened',
  installation_id: 3,
  repository_id: null,
};
const deliveries = get('/app/hook/deliveries', [delivery], { query: { per_page: '100', cursor: 'v1_12' } });
const refused = send('POST', '/repos/acme/payments/git/refs', { ref: ref.ref, sha: SHA }, 422, {
  message: 'Reference already exists',
  documentation_url: 'https://docs.github.com/rest/git/refs#create-a-reference',
});
const dispatch = send(
  'POST',
  '/repos/acme/payments/dispatches',
  { event_type: 'shipgate-deploy', client_payload: { version: 'v1.2.3' } },
  204,
  undefined,
);

const partsOf = (exchange: Exchange): string[] =>
  validator.check(exchange).map(({ part, detail }) => `${part}: ${detail}`);

describe('an exchange that GitHub allows', () => {
  it.each([
    ['creates a ref', createRef],
    ['lists refs by a prefix with slashes', matchingRefs],
    [
      'lists refs with the prefix percent-encoded',
      { ...matchingRefs, path: matchingRefs.path.replace('s/r', 's%2Fr') },
    ],
    ['answers null where the schema is nullable', permission],
    ['lists deliveries with documented parameters', deliveries],
    ['refuses with a documented error', refused],
    ['answers nothing', dispatch],
    ['answers nothing, as an empty text', { ...dispatch, responseBody: '' }],
    ['says that nothing changed', { ...deliveries, status: 304, responseBody: undefined }],
    ['hides what the caller may not see', { ...deliveries, status: 404, responseBody: { message: 'Not Found' } }],
    ['is down', { ...createRef, status: 502, responseBody: '<html>Unicorn!</html>' }],
    ['is down where an outage is documented', { ...get('/repos/a/b/commits', '<html/>', { status: 500 }) }],
    [
      'addresses a repository by its number',
      { ...matchingRefs, path: '/repositories/7/git/matching-refs/heads/release/' },
    ],
    [
      'asks for a file as text',
      get('/repos/acme/payments/contents/sdlc.yaml', 'version: v1\n', {
        query: { ref: SHA },
        requestHeaders: { 'user-agent': 'shipgate', accept: 'application/vnd.github.raw+json' },
      }),
    ],
  ])('%s', (_, exchange) => {
    expect(partsOf(exchange)).toEqual([]);
  });
});

const withBody = (exchange: Exchange, change: object): Exchange => ({
  ...exchange,
  requestBody: { ...(exchange.requestBody as object), ...change },
});
const withAnswer = (exchange: Exchange, change: object): Exchange => ({
  ...exchange,
  responseBody: { ...(exchange.responseBody as object), ...change },
});
const updateCheckRun = (body: object): Exchange =>
  get('/repos/acme/payments/check-runs/4', {}, { method: 'PATCH', requestBody: body });
const createRuleset = (rule: object): Exchange =>
  send('POST', '/repos/acme/payments/rulesets', { name: 'main', enforcement: 'active', rules: [rule] }, 404, {
    message: 'Not Found',
  });

describe('a request that GitHub does not have', () => {
  it.each([
    ['an operation not in use', get('/repos/acme/payments/actions/artifacts', {}), 'operation: is none of'],
    ['a method that the path does not have', { ...deliveries, method: 'PUT' }, 'operation: is none of'],
    [
      'a path parameter of another type',
      get('/app/hook/deliveries/last', {}),
      'parameters: delivery_id must be integer',
    ],
    [
      'a query parameter of another type',
      { ...deliveries, query: { per_page: 'all' } },
      'parameters: per_page must be integer',
    ],
    [
      'a query parameter outside its enumeration',
      get('/repos/acme/payments/pulls', [], { query: { state: 'merged' } }),
      'parameters: state must be equal to one of the allowed values (open, closed, all)',
    ],
    ['an unknown query parameter', { ...deliveries, query: { since: '1' } }, 'parameters: since is not a parameter'],
    ['no user agent', { ...deliveries, requestHeaders: {} }, 'request headers: user-agent is missing'],
    [
      'a body that is not called JSON',
      { ...createRef, requestHeaders: { 'user-agent': 'x' } },
      'request headers: content-type',
    ],
    ['no body where one is required', { ...createRef, requestBody: undefined }, 'request body: is missing'],
    [
      'a missing property',
      { ...createRef, requestBody: { ref: ref.ref } },
      "request body: must have required property 'sha'",
    ],
    ['a property of another type', withBody(createRef, { sha: 12 }), 'request body: /sha must be string'],
    [
      'an unknown property',
      withBody(createRef, { force: true }),
      'request body: must NOT have unevaluated properties ("force")',
    ],
    [
      'an unknown property beside alternatives',
      updateCheckRun({ status: 'completed', conclusion: 'success', verdict: 'yes' }),
      'request body: must NOT have unevaluated properties ("verdict")',
    ],
    [
      'an alternative left incomplete',
      updateCheckRun({ status: 'completed' }),
      "request body: must have required property 'conclusion'",
    ],
    [
      'an unknown property of a nested object',
      updateCheckRun({ output: { title: 'Shipgate', summary: 'fine', colour: 'green' } }),
      'request body: /output must NOT have unevaluated properties ("colour")',
    ],
    [
      'an unknown property within a component',
      createRuleset({ type: 'deletion', parameters: {} }),
      'request body: /rules/0 must NOT have unevaluated properties ("parameters")',
    ],
    ['a body where none is described', { ...deliveries, requestBody: { a: 1 } }, 'request body: must be empty'],
  ])('%s', (_, exchange, problem) => {
    expect(partsOf(exchange).join('\n')).toContain(problem);
  });

  it('rejects extra fields only in closed objects', () => {
    expect(partsOf(createRuleset({ type: 'deletion' }))).toEqual([]);
    expect(partsOf(withBody(dispatch, { client_payload: { anything: { at: 'all' } } }))).toEqual([]);
  });
});

describe('a response that GitHub does not send', () => {
  it.each([
    ['another status', { ...createRef, status: 200 }, 'status: 200 is never answered'],
    ['a 422 to a GET', { ...permission, status: 422, responseBody: { message: 'no' } }, 'status: 422 is never'],
    [
      'a missing property',
      { ...createRef, responseBody: { ref: ref.ref } },
      "response body: must have required property 'object'",
    ],
    [
      'a nested property of another type',
      withAnswer(createRef, { object: { ...ref.object, sha: 1 } }),
      'response body: /object/sha must be string',
    ],
    [
      'null where it is not allowed',
      withAnswer(createRef, { node_id: null }),
      'response body: /node_id must be string',
    ],
    [
      'a date that is none',
      { ...deliveries, responseBody: [{ ...delivery, delivered_at: 'today' }] },
      '/0/delivered_at must match format "date-time"',
    ],
    ['an object instead of a list', { ...matchingRefs, responseBody: ref }, 'response body: must be array'],
    [
      'an error without a message',
      { ...refused, responseBody: { error: 'x' } },
      "response body: must have required property 'message'",
    ],
    [
      'an undocumented error without a message',
      { ...permission, status: 403, responseBody: {} },
      "must have required property 'message'",
    ],
    ['a body with 204', { ...dispatch, responseBody: {} }, 'response body: must be empty'],
    ['a body with 304', { ...deliveries, status: 304 }, 'response body: must be empty'],
    [
      'JSON where text was asked for',
      get(
        '/repos/acme/payments/contents/a',
        {},
        { requestHeaders: { 'user-agent': 'x', accept: 'application/vnd.github.raw' } },
      ),
      'response body: must be the text',
    ],
  ])('%s', (_, exchange, problem) => {
    expect(partsOf(exchange).join('\n')).toContain(problem);
  });

  it('names the operation by GitHub’s id', () => {
    expect(validator.check({ ...createRef, status: 200 })).toEqual([
      { operation: 'git/create-ref', part: 'status', detail: '200 is never answered by this operation' },
    ]);
  });
});

describe('the committed description', () => {
  const description = readOpenApiDescription();
  const listed = JSON.parse(readFileSync(new URL('./operations.json', import.meta.url), 'utf8')) as string[];
  const exampleOf = (template: string): string => template.replaceAll(/\{\w+\}/g, '1');

  it('contains the listed operations and no others', () => {
    const held = Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(held.sort()).toEqual([...listed].sort());
  });

  it.each(listed)('contains and compiles %s', (operation) => {
    const [method = '', template = ''] = operation.split(' ');
    const { operationId, responses } = description.paths[template]?.[method.toLowerCase()] ?? {
      operationId: null,
      responses: {},
    };
    for (const status of Object.keys(responses)) {
      const violations = validator.check(
        send(method, exampleOf(template), { nothing: 'like this' }, Number(status), 1),
      );
      expect(new Set(violations.map((violation) => violation.operation))).toEqual(new Set([operationId]));
    }
  });
});
