import { BroadcastIcon, DotFillIcon } from '@primer/octicons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useMe } from '../api/session.query.js';
import { LiveUpdates, type LiveStatus } from '../live/live-updates.js';
import { text } from '../texts/en/frame.js';
import classes from './frame.module.css';

/** Keeps the screens of this workspace up to date, as long as the session can be used. */
export function useLiveUpdates(org: string, isUsable: boolean): LiveStatus {
  const client = useQueryClient();
  const lastEventId = useMe()?.workspace?.lastEventId ?? '0';
  const [updates, setUpdates] = useState(() => new LiveUpdates(client, org, lastEventId));
  if (updates.org !== org) setUpdates(new LiveUpdates(client, org, lastEventId));
  useEffect(() => {
    if (!isUsable) return undefined;
    updates.start();
    return () => updates.stop();
  }, [updates, isUsable]);
  return useSyncExternalStore(updates.subscribe, updates.getStatus);
}

/** Shows whether changes appear by themselves. */
export function LiveStatusLabel({ status }: { readonly status: LiveStatus }) {
  return (
    <output className={classes['live']} title={text.liveHint[status]} data-status={status}>
      {status === 'live' ? <BroadcastIcon size={12} /> : <DotFillIcon size={12} />} {text.live[status]}
    </output>
  );
}
