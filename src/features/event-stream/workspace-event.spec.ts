import { describe, expect, it } from '@jest/globals';
import {
  encodeEvent,
  StreamFrame,
  streamPreamble,
  HEARTBEAT,
  parseEventId,
  type WorkspaceEvent,
} from './workspace-event.js';

const RELEASE = '0b8e4a1c-7d52-4f6e-9a3b-5c1d2e3f4a5b';
const event = (differing: Partial<WorkspaceEvent> = {}): WorkspaceEvent => ({
  id: 1204,
  type: 'release.updated',
  org: 'acme',
  repo: 'payments',
  milestoneId: RELEASE,
  what: null,
  at: new Date('2026-05-04T10:00:00Z'),
  ...differing,
});

describe('the text of an event stream', () => {
  it('names the event, its place and its data, and ends with an empty line', () => {
    expect(encodeEvent(event()).toString()).toBe(
      `id: 1204\nevent: release.updated\ndata: {"id":"1204","type":"release.updated","org":"acme","repo":"payments",` +
        `"milestoneId":"${RELEASE}","at":"2026-05-04T10:00:00.000Z"}\n\n`,
    );
  });

  it('omits the fields that an event does not have', () => {
    expect(encodeEvent(event({ type: 'sync.started', repo: null, milestoneId: null })).toString()).toBe(
      `id: 1204\nevent: sync.started\ndata: {"id":"1204","type":"sync.started","org":"acme","at":"2026-05-04T10:00:00.000Z"}\n\n`,
    );
  });

  it('names the changed part of the workspace', () => {
    const changed = event({ type: 'workspace.updated', repo: null, milestoneId: null, what: 'freezes' });
    expect(encodeEvent(changed).toString()).toContain(
      `data: {"id":"1204","type":"workspace.updated","org":"acme","what":"freezes","at":`,
    );
  });

  it('breaks no line at a line break in a name', () => {
    const [, , data, ...rest] = encodeEvent(event({ repo: 'a\nid: 9\r\n\ndata: {}' }))
      .toString()
      .split('\n');
    expect(rest).toEqual(['', '']);
    expect(JSON.parse(data?.slice('data: '.length) ?? '')).toMatchObject({ repo: 'a\nid: 9\r\n\ndata: {}' });
  });

  it('begins with a retry time, an id and a heartbeat, and sends heartbeats without an id', () => {
    expect(streamPreamble(0).toString()).toBe('retry: 5000\nid: 0\n\n:\nevent: heartbeat\ndata: {}\n\n');
    expect(HEARTBEAT.toString()).toBe(':\nevent: heartbeat\ndata: {}\n\n');
  });

  it('is also encoded as a chunk, whose size counts bytes', () => {
    expect(new StreamFrame('data: Grüße\n\n').chunk.toString()).toBe('f\r\ndata: Grüße\n\n\r\n');
  });
});

describe('the id of the last event of a reader', () => {
  it.each([
    ['0', 0],
    ['1204', 1204],
    ['999999999999999', 999_999_999_999_999],
    ['1000000000000000', null],
    ['', null],
    [' 1', null],
    ['+1', null],
    ['-1', null],
    ['1.0', null],
    ['0x10', null],
    ['1, 2', null],
    [undefined, null],
  ])('is parsed from %j as %j', (text, id) => {
    expect(parseEventId(text)).toBe(id);
  });
});
