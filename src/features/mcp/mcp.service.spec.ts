import { describe, expect, it } from '@jest/globals';
import { callOf, McpServiceHarness } from '../../../test/support/mcp-service-harness.js';
import { DomainError } from '../../http/errors/domain-error.js';

/** A message without a response. */
const NOTICE = { jsonrpc: '2.0', method: 'notifications/initialized' };

describe('a call', () => {
  it('is answered with the result of the tool, as data and as text', async () => {
    expect(await new McpServiceHarness().call('look')).toEqual({
      content: [{ type: 'text', text: '{"count":1}' }],
      structuredContent: { count: 1 },
    });
  });

  it('that is rejected returns the error and logs nothing at level `error`', async () => {
    const stage = new McpServiceHarness();
    stage.readTool.does = () => {
      throw new DomainError('not_found', 'There is no such repository.');
    };
    expect(await stage.call('look')).toEqual({
      content: [{ type: 'text', text: 'There is no such repository.' }],
      isError: true,
    });
    expect(stage.logged).toEqual([]);
  });

  it.each<[string, () => unknown]>([
    [
      'that fails with an unexpected error',
      () => {
        throw new Error('the password is hunter2');
      },
    ],
    ['whose tool returns an invalid result', () => ({ count: 'hunter2' })],
  ])('%s is answered without the cause, which is in the log', async (_, does) => {
    const stage = new McpServiceHarness();
    stage.readTool.does = does;
    const answer = JSON.stringify(await stage.call('look'));
    expect(answer).toContain('An internal error occurred');
    expect(answer).not.toMatch(/hunter2|count|expected/);
    expect(stage.logged).toEqual([{ requestId: 'request-1', tool: 'look', err: expect.any(Error) }]);
  });

  it('returns only the members that the tool declares', async () => {
    const stage = new McpServiceHarness();
    stage.readTool.does = () => ({ count: 1, secret: 'hunter2' });
    expect(JSON.stringify(await stage.call('look'))).not.toContain('hunter2');
  });

  it('never reaches the tool with invalid arguments', async () => {
    const stage = new McpServiceHarness();
    for (const args of [{ of: 7 }, { more: true }])
      expect(await stage.call('look', args)).toMatchObject({ isError: true });
    expect(stage.readTool.callers).toEqual([]);
  });
});

describe('a key with the scope read', () => {
  it.each([
    ['alone', callOf('change')],
    ['in a batch', [callOf('look'), callOf('change')]],
  ])('changes nothing and returns the missing scope, %s', async (_, body) => {
    const stage = new McpServiceHarness();
    await expect(stage.send(body)).rejects.toMatchObject({
      code: 'forbidden',
      headers: { 'WWW-Authenticate': expect.stringContaining('scope="write"') },
    });
    expect([stage.readTool.callers, stage.change.callers]).toEqual([[], []]);
  });

  it('can call read tools', async () => {
    const stage = new McpServiceHarness();
    await stage.send(callOf('look'));
    expect(stage.readTool.callers).toEqual([7]);
  });
});

describe('a batch', () => {
  it('counts as one request for each message, and the guard has counted the first', async () => {
    const stage = new McpServiceHarness();
    await stage.send(callOf('look'));
    expect(stage.spent).toEqual([]);
    await stage.send([callOf('look'), callOf('look'), callOf('look')]);
    expect(stage.spent).toEqual(['session person:7', 'session person:7']);
  });

  it('executes nothing if it has more messages than the user has requests left', async () => {
    const stage = new McpServiceHarness();
    stage.left = 1;
    await expect(stage.send([callOf('look'), callOf('look'), callOf('look')])).rejects.toMatchObject({
      code: 'rate_limited',
    });
    expect(stage.readTool.callers).toEqual([]);
  });

  it('runs its messages one after the other', async () => {
    const stage = new McpServiceHarness();
    let running = 0;
    let most = 0;
    stage.readTool.does = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return { count: 1 };
    };
    const { body } = await stage.send([callOf('look'), callOf('look')]);
    expect([(JSON.parse(body) as unknown[]).length, most]).toEqual([2, 1]);
  });

  it('starts no more calls after 10 seconds, and returns an error for each of the other messages', async () => {
    const stage = new McpServiceHarness();
    stage.readTool.does = () => {
      stage.clock.advance(5_000);
      return { count: 1 };
    };
    const readTool = (id: number | string): object => ({ ...callOf('look'), id });
    const { status, body } = await stage.send(
      [
        readTool(1),
        readTool('two'),
        { ...callOf('change'), id: 3 },
        { jsonrpc: '2.0', method: 'ping', id: { odd: 1 } },
        NOTICE,
      ],
      'write',
    );
    const answers = JSON.parse(body) as readonly { readonly id: unknown; readonly error?: object }[];
    const late = { code: -32000, message: expect.stringMatching(/was not executed/) };
    expect(status).toBe(200);
    expect(answers.map(({ id, error }) => [id, error])).toEqual([
      [1, undefined],
      ['two', undefined],
      [3, late],
      [null, late],
    ]);
    expect(stage.change.callers).toEqual([]);
  });

  it('is answered message by message, also if one fails', async () => {
    const stage = new McpServiceHarness();
    stage.change.does = () => {
      throw new Error('gone');
    };
    const { status, body } = await stage.send([callOf('change'), { jsonrpc: '2.0' }, callOf('look')], 'write');
    const answers = JSON.parse(body) as readonly { readonly result?: { readonly isError?: boolean } }[];
    expect([status, answers.map(({ result }) => result?.isError ?? (result ? false : 'no result'))]).toEqual([
      200,
      [true, 'no result', false],
    ]);
  });
});
