// The control: a receiver in front of the service. It acknowledges deliveries and uploads before it forwards them. It
// forwards each upload twice, without the key that identifies a repetition. It forwards all other requests unchanged.
// It prints a line when it listens.
import { createServer, request } from 'node:http';

const DELAY_MS = 500;
const { PORT, TARGET } = process.env;

function handOn(from, headers, body, answer) {
  const forwarded = request({
    port: Number(TARGET),
    host: '127.0.0.1',
    agent: false,
    method: from.method,
    path: from.url,
    headers,
  });
  forwarded.on('error', () => answer?.destroy());
  forwarded.on('response', (response) => {
    if (answer) {
      answer.writeHead(response.statusCode, response.headers);
      response.pipe(answer);
    } else response.resume();
  });
  forwarded.end(body);
}

async function receive(from, to) {
  const chunks = [];
  for await (const chunk of from) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const { 'idempotency-key': _key, ...headers } = from.headers;
  if (from.method === 'POST' && from.url === '/api/webhook') {
    to.writeHead(202).end('{}');
    setTimeout(() => handOn(from, headers, body), DELAY_MS);
  } else if (from.method === 'POST' && from.url === '/api/evidence/upload') {
    to.writeHead(201).end('{}');
    for (const times of [1, 2]) setTimeout(() => handOn(from, headers, body), times * DELAY_MS);
  } else {
    handOn(from, from.headers, body, to);
  }
}

const server = createServer((from, to) => void receive(from, to));
server.listen(Number(PORT), '127.0.0.1', () => process.stdout.write('listening\n'));
