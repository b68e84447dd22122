import { createHash, createHmac, randomUUID } from 'node:crypto';
import type { RequestSample } from '../measuring/load.js';
import { WEBHOOK_SECRET } from '../measuring/shipgate.js';

const BYTES = 8_192;

/** Returns an 8 kB push delivery of one repository. Its commits differ like those of real deliveries. */
export function deliveryBody(): string {
  const commits: object[] = [];
  const text = (): string =>
    JSON.stringify({
      ref: 'refs/heads/main',
      installation: { id: 1 },
      organization: { id: 1, login: 'org-1' },
      repository: { id: 1_001, name: 'service-1', full_name: 'org-1/service-1', default_branch: 'main' },
      commits,
    });
  while (text().length < BYTES) commits.push(buildCommit(commits.length));
  commits.pop();
  return text().padEnd(BYTES);
}

function buildCommit(number: number): object {
  const id = createHash('sha1').update(`commit ${number}`).digest('hex');
  const author = { name: 'Robin', email: 'robin@example.com', username: 'robin' };
  return {
    id,
    tree_id: createHash('sha1').update(id).digest('hex'),
    message: `Change what ${id.slice(0, 7)} left behind`,
    timestamp: '2026-05-04T10:00:00Z',
    url: `https://github.com/org-1/service-1/commit/${id}`,
    author,
    committer: author,
    added: [],
    removed: [],
    modified: [`src/${id.slice(7, 12)}/index.ts`],
  };
}

/** Returns a function that creates a new delivery with the same body. */
export function deliveryRequests(): () => RequestSample {
  const body = deliveryBody();
  const signature = createHmac('sha256', WEBHOOK_SECRET).update(body).digest('hex');
  const head =
    `POST /api/webhook HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${BYTES}\r\n` +
    `X-GitHub-Event: push\r\nX-Hub-Signature-256: sha256=${signature}\r\nX-GitHub-Delivery: `;
  return () => ({
    request: `${head}${randomUUID()}\r\n\r\n${body}`,
    status: 'HTTP/1.1 202 Accepted',
    answer: '{}',
  });
}
