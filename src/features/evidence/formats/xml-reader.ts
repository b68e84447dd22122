import { readAnyXml } from './any-xml.js';
import type { ReportLimits } from './format.js';
import { readPlainXml } from './plain-xml.js';
import type { ReportText } from './report-text.js';
import type { XmlRefusal, XmlVisitor } from './xml-visitor.js';

/**
 * Reads a document in stretches, and answers the visitor that has seen all of it. What is not plain XML is read from its
 * beginning by a strict parser, which alone tells what is wrong, and where.
 * @throws ReportError at the first violation of well-formedness or of a limit.
 */
export const readXml = <V extends XmlVisitor>(
  report: ReportText,
  limits: ReportLimits,
  visitorOf: (refusal: XmlRefusal) => V,
): V => readPlainXml(report, limits, visitorOf) ?? readAnyXml(report, limits, visitorOf);
