/** A file that came with an upload, as it is told of. */
export interface KeptReport {
  readonly id: string;
  readonly evidenceId: string;
  readonly name: string;
  readonly format: string;
  readonly sha256: string;
  /** In bytes. */
  readonly size: number;
}

/** As its uploader and its readers are shown it, with the address where people who are signed in download it. */
export const shownReport = ({ id, evidenceId, name, format, sha256, size }: KeptReport, baseUrl: string) => ({
  id,
  name,
  format,
  sha256,
  size,
  url: `${baseUrl}/api/evidence/${evidenceId}/reports/${id}`,
});
