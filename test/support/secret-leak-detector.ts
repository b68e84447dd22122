import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { withDedicatedClient } from '../../src/database/dedicated-client.js';

/** Secrets that are recognized by their format, whatever created them. The first characters of a key, which the service shows, have no such format. */
const SHAPES: Readonly<Record<string, RegExp>> = {
  'token of GitHub': asSeparateText('gh[oprsu]_[0-9a-zA-Z]{30,}'),
  'fine-grained token of GitHub': asSeparateText(String.raw`github_pat_\w{30,}`),
  'key of a CI system': asSeparateText('sgk_[0-9A-Za-z]{40,}'),
  'key of a person': asSeparateText('sgp_[0-9A-Za-z]{40,}'),
  'token of an invite': /sgi_[\w-]{32}\.[\w-]{43}/,
  'signed token': /eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,}/,
  'private key': /PRIVATE KEY-----/,
  'set-up code': /\b[0-9A-HJKMNP-TV-Z]{5}(?:-[0-9A-HJKMNP-TV-Z]{5}){3}\b/,
};
/** A random text of 32 characters has more different ones. */
const RANDOM_LETTERS = 10;
/** The routes that return a new secret, once. */
const HANDS_OUT = new Set(['POST /api/settings/api-keys', 'POST /api/settings/mcp-keys', 'POST /api/team/invites']);
/** The routes that describe the service, with examples that look like secrets. */
const SHOWS_EXAMPLES = new Set(['GET /api/openapi.json', 'GET /api/docs']);
/** A run of characters that can contain a secret. A text of many megabytes has few such runs, and fewer different ones. */
const RUN = /[\w+/=%-]{20,}/g;

/** The secrets that a service received or created, and the places where one was found that must contain none. */
export class SecretLeakDetector {
  /** The kind of a secret, by its format. */
  private readonly needles = new Map<string, string>();
  private readonly found = new Set<string>();

  /** Each finding with its place, without the secret itself. */
  get leaks(): readonly string[] {
    return [...this.found];
  }

  /** Searches from now on for the secret: as plain text, in base64, and as a column of bytes shows it. */
  add(name: string, secret: string): void {
    const bytes = Buffer.from(secret);
    const meant = /^[\w-]{43}$/.test(secret) ? [Buffer.from(secret, 'base64url').toString('hex')] : [];
    for (const form of [secret, bytes.toString('hex'), ...meant, ...base64Forms(bytes)]) {
      if (form.length >= 20) this.needles.set(form, name);
    }
  }

  /** Adds each line of a PEM text except the first and the last, which are always the same. */
  addPem(name: string, pem: string): void {
    for (const line of pem.trim().split('\n').slice(1, -1)) this.add(name, line);
  }

  /** Adds the secret of an `Authorization` header: a key of the service or a token of GitHub. */
  addBearer(authorization = ''): void {
    if (/^(?:bearer|token) (?:sg|gh)/i.test(authorization)) this.addEach('bearer', authorization);
  }

  /** Learns the secrets of every request, and searches every response, of a service that does not listen yet. */
  watch(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, reply, done) => {
      this.learn(request);
      this.readAnswer(request, reply.raw);
      done();
    });
    fastify.addHook('onSend', (_, reply, __, done) => {
      this.addEach('cookie', decodeURIComponent([reply.getHeader('set-cookie')].flat().join(' ')));
      done();
    });
  }

  /** Records each secret in the text. */
  search(place: string, text: string): void {
    for (const [name, shape] of Object.entries(SHAPES)) if (shape.test(text)) this.note(name, place);
    this.searchKnown(place, text);
  }

  /** Searches every column of every row, also of the job queue. */
  async searchDatabase(superuserUrl: string): Promise<void> {
    await withDedicatedClient(superuserUrl, async (client) => {
      const { rows: tables } = await client.query<{ readonly name: string }>(
        `select c.oid::regclass::text as name from pg_class c
         where c.relnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace) and c.relkind in ('r', 'p')`,
      );
      for (const { name } of tables) {
        const { rows } = await client.query<{ readonly text: string | null }>(
          `select string_agg(t::text, E'\\n') as text from ${name} t`,
        );
        this.search(`the table ${name}`, rows[0]?.text ?? '');
      }
    });
  }

  private searchKnown(place: string, text: string): void {
    const runs = [...new Set(text.match(RUN))].join('\n');
    for (const [needle, name] of this.needles) {
      // A sentence contains spaces, so it is no run.
      if ((needle.includes(' ') ? text : runs).includes(needle)) this.note(name, place);
    }
  }

  private learn({ headers, query, url }: FastifyRequest): void {
    this.addEach('cookie', decodeURIComponent(headers.cookie ?? ''));
    this.addBearer(headers.authorization);
    if (!url.startsWith('/api/auth/callback')) return;
    for (const value of Object.values(query as object)) this.addEach('word of a sign-in', String(value));
  }

  /** The body of a response: at once, as a stream or as events. */
  private readAnswer({ method, routeOptions }: FastifyRequest, response: ServerResponse): void {
    const route = `${method} ${routeOptions.url ?? '?'}`;
    const written: Buffer[] = [];
    for (const name of ['write', 'end'] as const) {
      const pass = response[name].bind(response) as (...sent: unknown[]) => never;
      response[name] = (...sent: unknown[]) => {
        const [chunk] = sent;
        if (typeof chunk === 'string' || chunk instanceof Uint8Array) written.push(Buffer.from(chunk as Uint8Array));
        return pass(...sent);
      };
    }
    response.once('close', () => {
      const [place, text] = [`an answer ${response.statusCode} of ${route}`, Buffer.concat(written).toString('latin1')];
      if (response.statusCode < 400 && HANDS_OUT.has(route)) this.learnHandedOut(text);
      else if (SHOWS_EXAMPLES.has(route)) this.searchKnown(place, text);
      else this.search(place, text);
    });
  }

  private learnHandedOut(text: string): void {
    for (const [secret] of text.matchAll(/sg[ikp]_[\w.-]{40,}/g)) this.add('secret that was handed out', secret);
  }

  private addEach(name: string, text: string): void {
    for (const [run] of text.matchAll(/[\w-]{32,}/g)) {
      // A value that a test invented, such as one letter repeated, is not a secret and can appear anywhere.
      if (new Set(run).size >= RANDOM_LETTERS) this.add(name, run);
    }
  }

  private note(name: string, place: string): void {
    this.found.add(`a ${name} in ${place}`);
  }
}

/** The base64 forms of the bytes at any offset, in both alphabets, without the characters that depend on neighbors. */
function base64Forms(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(before === 0 ? 0 : before + 1, -4);
    return [text, text.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/**
 * The pattern, except in the middle of a longer run. A signature in base64url can contain these characters by chance.
 * An escape before the secret does not belong to the run.
 */
function asSeparateText(pattern: string): RegExp {
  return new RegExp(
    String.raw`(?:(?<![\w-])|(?<=\\[bfnrt]|%[0-9A-Fa-f]{2}|\\u[0-9a-fA-F]{4}|\x1b\[\d*m))${pattern}(?!\w)`,
  );
}
