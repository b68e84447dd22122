import { describe, expect, it } from '@jest/globals';
import { canUploadFromEvent } from './evidence.js';

describe('canUploadFromEvent', () => {
  it.each(['push', 'workflow_dispatch', 'schedule', 'release', 'merge_group'])('lets a run of %s upload', (event) => {
    expect(canUploadFromEvent(event, [])).toBe(true);
  });

  it.each(['pull_request', 'pull_request_target', 'workflow_run', 'issue_comment', 'PUSH', 'push ', ''])(
    'lets a run of "%s" upload only if the policy lists the event',
    (event) => {
      expect(canUploadFromEvent(event, [])).toBe(false);
      expect(canUploadFromEvent(event, ['repository_dispatch'])).toBe(false);
      expect(canUploadFromEvent(event, ['repository_dispatch', event])).toBe(true);
    },
  );
});
