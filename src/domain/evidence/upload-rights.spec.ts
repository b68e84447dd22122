import { describe, expect, it } from '@jest/globals';
import { mayUpload } from './evidence.js';

describe('mayUpload', () => {
  it.each(['push', 'workflow_dispatch', 'schedule', 'release', 'merge_group'])('lets a run of %s upload', (event) => {
    expect(mayUpload(event, [])).toBe(true);
  });

  it.each(['pull_request', 'pull_request_target', 'workflow_run', 'issue_comment', 'PUSH', 'push ', ''])(
    'lets a run of "%s" upload only where the policy lists it',
    (event) => {
      expect(mayUpload(event, [])).toBe(false);
      expect(mayUpload(event, ['repository_dispatch'])).toBe(false);
      expect(mayUpload(event, ['repository_dispatch', event])).toBe(true);
    },
  );
});
