import {
  AlertIcon,
  CheckCircleFillIcon,
  ClockIcon,
  CommentDiscussionIcon,
  DotFillIcon,
  HistoryIcon,
  LockIcon,
  QuestionIcon,
  RocketIcon,
  ShieldSlashIcon,
  SkipIcon,
  UnlockIcon,
  UnverifiedIcon,
  XCircleFillIcon,
} from '@primer/octicons-react';
import { Label, type LabelProps } from '@primer/react';
import type { ComponentType, ReactNode } from 'react';
import classes from './status-label.module.css';

/** The meanings that a status can have. Each has one icon and one color in the whole dashboard. */
const VARIANTS = {
  blocked: ['danger', AlertIcon],
  failed: ['danger', XCircleFillIcon],
  needsApproval: ['attention', CommentDiscussionIcon],
  waiting: ['attention', ClockIcon],
  /** Only for facts that the service has confirmed and that are fresh. */
  good: ['success', CheckCircleFillIcon],
  running: ['accent', DotFillIcon],
  unknown: ['severe', QuestionIcon],
  stale: ['secondary', HistoryIcon],
  overridden: ['done', ShieldSlashIcon],
  /** Something is missing that was there before, or cannot be relied on. */
  lost: ['attention', AlertIcon],
  ungoverned: ['severe', UnverifiedIcon],
  shipped: ['done', RocketIcon],
  /** An earlier decision opened the gate. */
  opened: ['accent', UnlockIcon],
  closed: ['secondary', LockIcon],
  neutral: ['secondary', SkipIcon],
} as const satisfies Record<string, readonly [LabelProps['variant'], ComponentType<{ size: number }>]>;

export type StatusKind = keyof typeof VARIANTS;

/** A status as icon, word and color together. */
export function StatusLabel({ kind, children }: { readonly kind: StatusKind; readonly children: ReactNode }) {
  const [variant, Icon] = VARIANTS[kind];
  return (
    <Label variant={variant} className={`${classes['label']} ${classes[kind] ?? ''}`}>
      <Icon size={12} /> {children}
    </Label>
  );
}
