import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** A link to the screen of a release, or to a part of it, for example "decisions/…". */
export function ReleaseLink({
  id,
  part,
  children,
}: {
  readonly id: string;
  readonly part?: string;
  readonly children: ReactNode;
}) {
  const { org } = useParams({ from: '/session/w/$org' });
  return <a href={`/w/${org}/releases/${id}${part === undefined ? '' : `/${part}`}`}>{children}</a>;
}
