import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { z } from 'zod';
import { SetClock } from '../../../test/support/set-clock.js';
import type { PersonalKeyCaller } from '../../auth/caller.js';
import type { Environment } from '../../config/environment.js';
import type { PersonalKeyScope } from '../../domain/keys/personal-key-scope.js';
import { DomainError } from '../../http/domain-error.js';
import type { RequestLimits } from '../../http/rate-limit/request-limits.js';
import { RemoteTool } from './remote-tool.js';
import type { ToolBox } from './tool-box.js';
import { type ProtocolAnswer, ToolExchanges } from './tool-exchanges.service.js';
import { ToolServers } from './tool-servers.js';

const INPUT = z.strictObject({ of: z.string().optional() });
const OUTPUT = z.object({ count: z.int() });

/** Does what the test says, and notes for whom. */
class ScriptedTool extends RemoteTool<typeof INPUT, typeof OUTPUT> {
  override readonly title = 'A tool';
  override readonly description = 'Counts something.';
  override readonly input = INPUT;
  override readonly output = OUTPUT;
  readonly callers: number[] = [];
  does: () => unknown = () => ({ count: 1 });

  constructor(
    override readonly name: string,
    override readonly scope: PersonalKeyScope,
  ) {
    super();
  }

  override async run({ person }: PersonalKeyCaller): Promise<z.input<typeof OUTPUT>> {
    this.callers.push(person.id);
    return this.does() as z.input<typeof OUTPUT>;
  }
}

class Stage {
  readonly look = new ScriptedTool('look', 'read');
  readonly change = new ScriptedTool('change', 'write');
  readonly logged: object[] = [];
  readonly spent: string[] = [];
  readonly clock = new SetClock();
  left = 100;
  private readonly exchanges: ToolExchanges;

  constructor() {
    const { look, change } = this;
    const box = {
      tools: [look, change],
      find: (name: string) => [look, change].find((tool) => tool.name === name) ?? null,
    } as unknown as ToolBox;
    const log = { error: (line: object) => void this.logged.push(line) } as unknown as Logger;
    const limits = {
      spend: async (name: string, subject: string) => {
        this.spent.push(`${name} ${subject}`);
        if (this.spent.length > this.left) throw new DomainError('rate_limited', 'Too many.');
      },
    } as unknown as RequestLimits;
    const environment = { baseUrl: 'https://shipgate.example' } as Environment;
    this.exchanges = new ToolExchanges(box, new ToolServers(box, log), limits, this.clock, log, environment);
  }

  send(body: unknown, scope: PersonalKeyScope = 'read', headers: object = {}): Promise<ProtocolAnswer> {
    return this.exchanges.answer({
      caller: { person: { id: 7 }, scope } as PersonalKeyCaller,
      request: { id: 'request-1', headers, body } as unknown as FastifyRequest,
      reply: {} as FastifyReply,
    });
  }

  /** What the call of a tool says. */
  async call(name: string, args: object = {}): Promise<unknown> {
    const { body } = await this.send(callOf(name, args), 'write');
    return (JSON.parse(body) as { readonly result: unknown }).result;
  }
}

const callOf = (name: string, args: object = {}): object => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** Wants no answer. */
const NOTICE = { jsonrpc: '2.0', method: 'notifications/initialized' };

describe('a call', () => {
  it('is answered with what the tool found, for programs and as text', async () => {
    expect(await new Stage().call('look')).toEqual({
      content: [{ type: 'text', text: '{"count":1}' }],
      structuredContent: { count: 1 },
    });
  });

  it('that is refused is answered with the refusal, and nobody has to act', async () => {
    const stage = new Stage();
    stage.look.does = () => {
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
      'that fails in a way that nobody foresaw',
      () => {
        throw new Error('the password is hunter2');
      },
    ],
    ['whose tool breaks its own promise', () => ({ count: 'hunter2' })],
  ])('%s is answered without a word of why, which the log has', async (_, does) => {
    const stage = new Stage();
    stage.look.does = does;
    const answer = JSON.stringify(await stage.call('look'));
    expect(answer).toContain('Something went wrong');
    expect(answer).not.toMatch(/hunter2|count|expected/);
    expect(stage.logged).toEqual([{ requestId: 'request-1', tool: 'look', err: expect.any(Error) }]);
  });

  it('hands nothing on that the tool did not promise', async () => {
    const stage = new Stage();
    stage.look.does = () => ({ count: 1, secret: 'hunter2' });
    expect(JSON.stringify(await stage.call('look'))).not.toContain('hunter2');
  });

  it('never reaches the tool with arguments that it does not take', async () => {
    const stage = new Stage();
    for (const args of [{ of: 7 }, { more: true }])
      expect(await stage.call('look', args)).toMatchObject({ isError: true });
    expect(stage.look.callers).toEqual([]);
  });
});

describe('a key that may only read', () => {
  it.each([
    ['alone', callOf('change')],
    ['in a batch', [callOf('look'), callOf('change')]],
  ])('changes nothing, and is told what it lacks, %s', async (_, body) => {
    const stage = new Stage();
    await expect(stage.send(body)).rejects.toMatchObject({
      code: 'forbidden',
      headers: { 'WWW-Authenticate': expect.stringContaining('scope="write"') },
    });
    expect([stage.look.callers, stage.change.callers]).toEqual([[], []]);
  });

  it('calls what reads', async () => {
    const stage = new Stage();
    await stage.send(callOf('look'));
    expect(stage.look.callers).toEqual([7]);
  });
});

describe('a batch', () => {
  it('costs a request for each message, of which the guard has counted one', async () => {
    const stage = new Stage();
    await stage.send(callOf('look'));
    expect(stage.spent).toEqual([]);
    await stage.send([callOf('look'), callOf('look'), callOf('look')]);
    expect(stage.spent).toEqual(['session person:7', 'session person:7']);
  });

  it('of more messages than the person has requests left does nothing', async () => {
    const stage = new Stage();
    stage.left = 1;
    await expect(stage.send([callOf('look'), callOf('look'), callOf('look')])).rejects.toMatchObject({
      code: 'rate_limited',
    });
    expect(stage.look.callers).toEqual([]);
  });

  it('is done one after the other', async () => {
    const stage = new Stage();
    let running = 0;
    let most = 0;
    stage.look.does = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return { count: 1 };
    };
    const { body } = await stage.send([callOf('look'), callOf('look')]);
    expect([(JSON.parse(body) as unknown[]).length, most]).toEqual([2, 1]);
  });

  it('begins nothing more once it took 10 seconds, and says so of each message that wants an answer', async () => {
    const stage = new Stage();
    stage.look.does = () => {
      stage.clock.advance(5_000);
      return { count: 1 };
    };
    const look = (id: number | string): object => ({ ...callOf('look'), id });
    const { status, body } = await stage.send(
      [
        look(1),
        look('two'),
        { ...callOf('change'), id: 3 },
        { jsonrpc: '2.0', method: 'ping', id: { odd: 1 } },
        NOTICE,
      ],
      'write',
    );
    const answers = JSON.parse(body) as readonly { readonly id: unknown; readonly error?: object }[];
    const late = { code: -32000, message: expect.stringMatching(/nothing of it was done/) };
    expect(status).toBe(200);
    expect(answers.map(({ id, error }) => [id, error])).toEqual([
      [1, undefined],
      ['two', undefined],
      [3, late],
      [null, late],
    ]);
    expect(stage.change.callers).toEqual([]);
  });

  it('is answered message by message, also where one fails', async () => {
    const stage = new Stage();
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

describe('whatever a client sends', () => {
  const methods = fc.constantFrom(
    'initialize',
    'ping',
    'tools/list',
    'tools/call',
    'server/discover',
    'subscriptions/listen',
    'notifications/cancelled',
    'notifications/initialized',
    'logging/setLevel',
    'resources/read',
    'completion/complete',
  );
  const revisions = fc.constantFrom('2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28', '2031-01-01');
  const envelope = fc.record({
    'io.modelcontextprotocol/protocolVersion': fc.oneof(revisions, fc.jsonValue()),
    'io.modelcontextprotocol/clientInfo': fc.oneof(fc.constant({ name: 'a', version: '1' }), fc.jsonValue()),
    'io.modelcontextprotocol/clientCapabilities': fc.oneof(fc.constant({}), fc.jsonValue()),
  });
  const params = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        name: fc.oneof(fc.constantFrom('look', 'change', '__proto__'), fc.jsonValue()),
        arguments: fc.oneof(fc.constant({}), fc.jsonValue()),
        protocolVersion: revisions,
        notifications: fc.jsonValue(),
        _meta: fc.oneof(envelope, fc.jsonValue()),
      },
      { requiredKeys: [] },
    ),
  );
  const message = fc.record(
    {
      jsonrpc: fc.constantFrom('2.0', '2.0', '1.0'),
      id: fc.oneof(fc.integer(), fc.string(), fc.jsonValue()),
      method: fc.oneof(methods, fc.string()),
      params,
      result: fc.jsonValue(),
      error: fc.jsonValue(),
    },
    { requiredKeys: ['jsonrpc'] },
  );
  const headers = fc.record(
    {
      'mcp-protocol-version': fc.oneof(revisions, fc.string()).filter((text) => /^[\x20-\x7e]*$/.test(text)),
      'mcp-method': methods,
      'mcp-name': fc.constantFrom('look', 'change', 'nothing'),
    },
    { requiredKeys: [] },
  );

  it('is answered, or refused with a reason, and never fails', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(message, fc.array(message), fc.jsonValue()), headers, async (body, fields) => {
        const stage = new Stage();
        const sent = JSON.parse(JSON.stringify(body)) as unknown;
        const answer = await stage.send(sent, 'write', fields).catch((error: unknown) => error);
        if (answer instanceof DomainError) return;
        const { status, body: text } = answer as ProtocolAnswer;
        expect([status < 500, stage.logged]).toEqual([true, []]);
        if (text === '') expect(status).toBe(202);
        else expect(typeof JSON.parse(text)).toBe('object');
      }),
      { numRuns: 300 },
    );
  });
});
