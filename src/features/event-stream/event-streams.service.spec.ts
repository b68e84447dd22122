import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FixedClock } from '../../../test/support/fixed-clock.js';
import type { SelectedWorkspace, SessionsRepository } from '../../auth/session/sessions.repository.js';
import { toOrgId } from '../../database/ids.js';
import type { Metrics } from '../../observability/metrics.js';
import { EventStreamsService } from './event-streams.service.js';
import type { EventsQueries } from './events.queries.js';
import type { NotificationListener } from './notification-listener.js';

const ORG_ID = toOrgId('0b8f3c52-6a43-4d1e-9b6e-6f5a0c7a1d11');
const LATEST = 12;

const clock = new FixedClock();
const findSelectedWorkspaces = jest.fn<SessionsRepository['findSelectedWorkspaces']>();
const latest = jest.fn<EventsQueries['latest']>();
const listForUsers = jest.fn<EventsQueries['listForUsers']>();
const active = (session: string): SelectedWorkspace => ({ session, orgId: ORG_ID, confirmedAt: clock.now() });
let service: EventStreamsService;

beforeEach(() => {
  jest.resetAllMocks();
  findSelectedWorkspaces.mockImplementation((sessions) => Promise.resolve(sessions.map(active)));
  latest.mockResolvedValue(LATEST);
  listForUsers.mockResolvedValue({ events: [], members: new Set(), knownReaders: new Set() });
  service = new EventStreamsService(
    { latest, listForUsers } as unknown as EventsQueries,
    { listen: () => Promise.resolve() } as unknown as NotificationListener,
    { findSelectedWorkspaces } as unknown as SessionsRepository,
    clock,
    { gauge: () => undefined } as unknown as Metrics,
  );
});

/** Opens a stream of the session, and returns its response. */
async function open(userId: number, lastEventId: number | null = null): Promise<ServerResponse> {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  await service.open({ orgId: ORG_ID, userId, session: `session ${userId}` }, lastEventId, true, () => response);
  return response;
}

describe('the check of open streams', () => {
  it('reads each session once, 500 in a statement, and ends the streams of those that ended', async () => {
    const first = [];
    const second = [];
    for (let user = 0; user < 601; user += 1) first.push(await open(user));
    for (let user = 0; user < 601; user += 1) second.push(await open(user));
    findSelectedWorkspaces.mockClear();
    findSelectedWorkspaces.mockImplementation((sessions) =>
      Promise.resolve(sessions.filter((session) => session !== 'session 600').map(active)),
    );
    await service.closeUnauthorized();
    expect(findSelectedWorkspaces.mock.calls.map(([sessions]) => sessions.length)).toEqual([500, 101]);
    for (const streams of [first, second]) {
      expect(streams.map(({ writableEnded }) => writableEnded)).toEqual([...Array<boolean>(600).fill(false), true]);
    }
  });

  it('ends the streams of ended sessions that were read before a statement failed', async () => {
    const responses = [];
    for (let user = 0; user < 501; user += 1) responses.push(await open(user));
    findSelectedWorkspaces.mockImplementationOnce((sessions) => Promise.resolve(sessions.slice(1).map(active)));
    findSelectedWorkspaces.mockRejectedValueOnce(new Error('no connection'));
    await service.closeUnauthorized();
    expect(responses.map(({ writableEnded }) => writableEnded)).toEqual([true, ...Array<boolean>(500).fill(false)]);
  });
});

describe('a stream that has missed no event', () => {
  it.each([null, LATEST])('begins without a read if others are open, after the event %j', async (lastEventId) => {
    await open(1);
    expect([latest.mock.calls.length, listForUsers.mock.calls.length]).toEqual([2, 0]);
    await open(2, lastEventId);
    expect([latest.mock.calls.length, listForUsers.mock.calls.length]).toEqual([2, 0]);
  });

  it('begins with a read if its last event is later than that of the others, or earlier', async () => {
    await open(1);
    latest.mockClear();
    latest.mockResolvedValue(LATEST + 1);
    await open(2, LATEST + 1);
    expect([latest.mock.calls.length, listForUsers.mock.calls.length]).toEqual([1, 0]);
    await open(3, LATEST - 1);
    expect(listForUsers.mock.calls[0]?.[1]).toMatchObject({ userIds: [3], after: LATEST - 1 });
  });
});
