import type { ColumnKind } from '../table-column.js';

/** By their places in `cellXfs` below. */
export const STYLES: Readonly<Record<ColumnKind, number>> = { text: 1, id: 1, count: 2, decimal: 3, moment: 4 };
/** A heading stands where its numbers do. */
export const HEADING_STYLE: Readonly<Record<ColumnKind, number>> = { text: 5, id: 5, count: 6, decimal: 6, moment: 5 };

const format = (numFmt: number, alignment = ''): string =>
  `<xf numFmtId="${numFmt}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"` +
  (alignment === '' ? '/>' : ` applyAlignment="1"><alignment ${alignment}/></xf>`);
const heading = (horizontal: string): string =>
  '<xf numFmtId="49" fontId="1" fillId="2" borderId="1" xfId="0" applyNumberFormat="1" applyFont="1" applyFill="1" ' +
  `applyBorder="1" applyAlignment="1"><alignment ${horizontal} vertical="center"/></xf>`;

/**
 * ISO/IEC 29500-1, 18.8. Text has the format of text (49), so that it stays one when somebody edits its cell. Formats of our
 * own begin at 164.
 */
export const STYLES_PART =
  '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
  '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' +
  '<numFmts count="2"><numFmt numFmtId="164" formatCode="#,##0.0"/>' +
  '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>' +
  '<fonts count="2"><font><sz val="11"/><color rgb="FF18212B"/><name val="Calibri"/><family val="2"/></font>' +
  '<font><b/><sz val="11"/><color rgb="FF18212B"/><name val="Calibri"/><family val="2"/></font></fonts>' +
  '<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>' +
  '<fill><patternFill patternType="solid"><fgColor rgb="FFEEF1F5"/><bgColor indexed="64"/></patternFill></fill></fills>' +
  '<borders count="2"><border><left/><right/><top/><bottom/><diagonal/></border>' +
  '<border><left/><right/><top/><bottom style="thin"><color rgb="FF55606D"/></bottom><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  `<cellXfs count="7"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>${format(49, 'horizontal="left" indent="1"')}${format(
    3,
  )}${format(164)}${format(165, 'horizontal="left" indent="1"')}${heading('horizontal="left" indent="1"')}${heading('horizontal="right"')}</cellXfs>` +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';
