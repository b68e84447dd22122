import { Html, html } from '../../../../http/html.js';

/** A value with its label. Null has no bar. */
interface Bar {
  readonly label: string;
  readonly value: number | null;
}

/** A bar chart. Its texts contain no user input. */
export interface BarChart {
  readonly title: string;
  /** The text alternative of the picture. */
  readonly description: string;
  readonly bars: readonly Bar[];
  /** The end of the axis; null for the largest value. */
  readonly max: number | null;
  /** Whether the bars are horizontal, which leaves space for long labels. */
  readonly lying: boolean;
}

export type DrawBars = (chart: BarChart) => Html;

const WIDTH = 560;
const UPRIGHT_HEIGHT = 240;
const LYING_BAR_HEIGHT = 38;
const FONT_SIZE = 13;
/** The color variables of the page, so that one picture works for light, dark and print. */
const [INK, QUIET, LINE, BAR] = ['var(--text)', 'var(--quiet)', 'var(--line)', 'var(--accent)'];

/**
 * Loads the parts of the charting library that draw bars. Loading takes long and is rarely needed, so it happens with the first
 * report, part by part, and does not delay other requests.
 */
export async function loadBarCharts(): Promise<DrawBars> {
  const core = await import('echarts/core');
  await import('echarts/lib/component/gridSimple.js');
  await import('echarts/lib/chart/bar.js');
  const { SVGRenderer } = await import('echarts/renderers');
  core.use([SVGRenderer]);
  return (chart) => {
    const height = chart.lying ? chart.bars.length * LYING_BAR_HEIGHT : UPRIGHT_HEIGHT;
    const drawing = core.init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
    try {
      drawing.setOption(toOption(chart));
      return accessiblePicture(drawing.renderToSVGString(), chart);
    } finally {
      drawing.dispose();
    }
  };
}

function toOption({ bars, max, lying }: BarChart): Record<string, unknown> {
  const names = {
    type: 'category',
    data: bars.map(({ label }) => label),
    // Horizontal bars are ordered from the top.
    inverse: lying,
    axisTick: { show: false },
    axisLine: { show: !lying, lineStyle: { color: LINE } },
    axisLabel: { color: INK, fontSize: FONT_SIZE, interval: 0, margin: 12, lineHeight: 16 },
  };
  const quantities = {
    type: 'value',
    min: 0,
    minInterval: 1,
    ...(max === null ? { splitNumber: 4 } : { max, interval: max / 4 }),
    splitLine: { show: !lying, lineStyle: { color: LINE } },
    axisLabel: { show: !lying, color: QUIET, fontSize: FONT_SIZE },
  };
  return {
    animation: false,
    grid: lying ? { left: 124, right: 48, top: 0, bottom: 0 } : { left: 40, right: 4, top: 24, bottom: 44 },
    xAxis: lying ? quantities : names,
    yAxis: lying ? names : quantities,
    series: {
      type: 'bar',
      silent: true,
      barMaxWidth: lying ? 18 : 44,
      itemStyle: { color: BAR },
      label: {
        show: true,
        position: lying ? 'right' : 'top',
        color: INK,
        fontSize: FONT_SIZE,
        formatter: ({ value }: { readonly value: unknown }) => (typeof value === 'number' ? String(value) : ''),
      },
      data: bars.map(({ value }) => value),
    },
  };
}

/** Markup that the library adds for scripts and pointers: styles, classes and metadata of bars. */
const NOT_THE_PICTURE = /<style[^>]*>[^]*?<\/style>\s*| (?:style|class|ecmeta_\w+|pointer-events)="[^"]*"/g;

/**
 * Returns the picture without extras, with title and description for screen readers (W3C, SVG Accessibility API Mappings, 8.1). The
 * style sheet of the page sets the font.
 */
function accessiblePicture(svg: string, { title, description }: BarChart): Html {
  const viewBox = /viewBox="[\d. ]+"/.exec(svg)?.[0];
  if (viewBox === undefined) throw new TypeError('A picture without its size.');
  const picture = svg.slice(svg.indexOf('>') + 1).replace(NOT_THE_PICTURE, '');
  const names = html`<title>${title}</title><desc>${description}</desc>`;
  return new Html(`<svg xmlns="http://www.w3.org/2000/svg" role="img" ${viewBox}>${names.text}${picture}`);
}
