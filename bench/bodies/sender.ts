/** A process that sends one body repeatedly, each after the answer to the one before, until it gets a stop message. */
import { buildSecret } from '../gate/organization-key.js';
import { samples } from './bodies.js';

/** Starts sending. A stop message ends it, and the process then reports the answers. */
export interface SendCommand {
  readonly port: number;
  readonly organization: number;
  readonly sample: number;
}

export interface Sent {
  readonly answers: number;
  readonly status: number;
  /** The first characters of the last answer. */
  readonly answer: string;
}

const bodies = samples();
let sending: Promise<Sent> | null = null;
let stop = new AbortController();

async function send({ port, organization, sample }: SendCommand, signal: AbortSignal): Promise<Sent> {
  const body = bodies[sample];
  if (!body) throw new TypeError(`There is no body ${sample}.`);
  let sent: Sent = { answers: 0, status: 0, answer: '' };
  while (!signal.aborted) {
    const response = await fetch(`http://127.0.0.1:${port}${body.path}`, {
      method: 'POST',
      headers: { ...body.headers, authorization: `Bearer ${buildSecret(organization)}` },
      body: new Uint8Array(body.bytes),
    });
    const answer = await response.text();
    sent = { answers: sent.answers + 1, status: response.status, answer: answer.slice(0, 120) };
  }
  return sent;
}

process.on('message', (order: SendCommand | { readonly stop: true }) => {
  if ('stop' in order) {
    stop.abort();
    void sending?.then((sent) => process.send?.(sent));
    return;
  }
  stop = new AbortController();
  sending = send(order, stop.signal);
});
