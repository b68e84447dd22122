/**
 * The address of a file for a plain link. A link cannot send the `X-Workspace` header, so the address names the workspace. Parameters
 * without a value are left out.
 */
export function downloadHref(
  path: `/api/${string}`,
  org: string,
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const named = Object.entries({ ...query, workspace: org }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return `${path}?${new URLSearchParams(named).toString()}`;
}
