/** What a stream tells of: that something changed, never what it is now. */
export type EventType =
  | 'sync.started'
  | 'sync.progress'
  | 'sync.completed'
  | 'sync.failed'
  | 'release.updated'
  | 'review.updated'
  | 'repo.updated'
  | 'evidence.received';
