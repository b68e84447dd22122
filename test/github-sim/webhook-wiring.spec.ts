import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { GitHubSim } from './github-sim.js';
import { HttpOutbox } from './webhooks/http-outbox.js';

it('delivers the events of an organization, signed, to each app that is installed there and subscribed', async () => {
  const received: string[] = [];
  const service = createServer((request, response) => {
    const { headers } = request;
    received.push(`${String(headers['x-github-event'])} ${typeof headers['x-hub-signature-256']}`);
    request.resume().on('end', () => response.writeHead(202).end());
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const webhookUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}/hooks`;
  const outbox = new HttpOutbox();
  const sim = await GitHubSim.start({ outbox });
  const organization = sim.createOrganization({ login: 'acme' });
  const repository = sim.createRepository(organization, { name: 'payments' });
  const elsewhere = sim.createRepository(organization, { name: 'elsewhere' });
  const app = sim.registerApp({ name: 'Plans', owner: organization, webhookUrl, events: ['milestone'] });
  sim.registerApp({ name: 'Not installed', owner: organization, webhookUrl });
  const installation = sim.installApp(app, organization, { repositories: [repository] });
  repository.milestones.create({ title: 'v1.0.0' });
  repository.issues.create({ title: 'Nobody asked for issues' });
  elsewhere.milestones.create({ title: 'v1.0.0' });
  installation.suspend();
  repository.milestones.create({ title: 'v1.1.0' });
  await outbox.waitUntilIdle();
  expect(received).toEqual(['installation string', 'milestone string', 'installation string']);
  await sim.stop();
  await outbox.stop();
  service.close();
});
