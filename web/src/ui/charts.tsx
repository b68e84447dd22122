import { useId, type ReactNode } from 'react';
import classes from './charts.module.css';

/** The color of a part of a chart. The color is never the only sign: numbers and words have the same meaning. */
export type ChartTone = 'accent' | 'danger' | 'attention' | 'success' | 'neutral';

interface DrawingProps {
  readonly title: string;
  readonly className: string | undefined;
  readonly children: ReactNode;
}

/** An image that is drawn from data. */
function Drawing({ title, className, children }: DrawingProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- An `img` cannot use the colors of the page.
    <svg role="img" className={className}>
      <title>{title}</title>
      {children}
    </svg>
  );
}

interface BarProps {
  /** Names the bar and its value for screen readers. */
  readonly title: string;
  /** From 0 to 100. Null if nothing was measured, which looks different from 0. */
  readonly percent: number | null;
  readonly tone?: ChartTone;
}

/** One horizontal bar. Its number stands next to it. */
export function Bar({ title, percent, tone = 'accent' }: BarProps) {
  const pattern = useId();
  return (
    <Drawing title={title} className={classes['bar']}>
      <rect className={classes['track']} width="100%" height="100%" rx="4" />
      {percent === null ? (
        <>
          <pattern id={pattern} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <line className={classes['hatch']} y2="6" />
          </pattern>
          <rect className={classes['unmeasured']} width="100%" height="100%" rx="4" fill={`url(#${pattern})`} />
        </>
      ) : (
        <rect className={classes[tone]} width={`${percent}%`} height="100%" rx="4" />
      )}
    </Drawing>
  );
}

interface StackedBarProps {
  readonly title: string;
  readonly parts: readonly { readonly name: string; readonly count: number; readonly tone: ChartTone }[];
}

/** Counts as parts of one bar. The counts stand next to it. */
export function StackedBar({ title, parts }: StackedBarProps) {
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  const percent = (count: number): number => (total === 0 ? 0 : (count / total) * 100);
  const starts = parts.map((_, at) => parts.slice(0, at).reduce((sum, { count }) => sum + percent(count), 0));
  return (
    <Drawing title={title} className={classes['bar']}>
      <rect className={classes['track']} width="100%" height="100%" rx="4" />
      {parts.map(({ name, count, tone }, at) => (
        <rect key={name} className={classes[tone]} x={`${starts[at]}%`} width={`${percent(count)}%`} height="100%" />
      ))}
    </Drawing>
  );
}

const HEIGHT = 180;
const TOP = 16;
const BOTTOM = 152;
/** The left and right edge of the line in percent, so that texts have a fixed size at every width. */
const [LEFT, RIGHT] = [10, 94];
const MAX = 100;
const LEVELS = [0, 50, MAX];
const MAX_NAMES = 4;

interface LineChartProps {
  readonly title: string;
  /** From left to right. A value is from 0 to 100; null interrupts the line. */
  readonly points: readonly { readonly id: string; readonly name: string; readonly value: number | null }[];
}

/** Values as a line. A table with the same values stands next to it. */
export function LineChart({ title, points }: LineChartProps) {
  const x = (at: number): string =>
    `${points.length < 2 ? (LEFT + RIGHT) / 2 : LEFT + (at / (points.length - 1)) * (RIGHT - LEFT)}%`;
  const y = (value: number): number => BOTTOM - (value / MAX) * (BOTTOM - TOP);
  const isNamed = (at: number): boolean => points.length <= MAX_NAMES || at === 0 || at === points.length - 1;
  return (
    <Drawing title={title} className={classes['line']}>
      {LEVELS.map((level) => (
        <g key={level}>
          <line className={classes['grid']} x1={`${LEFT}%`} x2={`${RIGHT}%`} y1={y(level)} y2={y(level)} />
          <text className={classes['text']} x={`${LEFT - 2}%`} y={y(level) + 4} textAnchor="end">
            {level}
          </text>
        </g>
      ))}
      {points.map(({ id, value }, at) => {
        const before = points[at - 1]?.value ?? null;
        return (
          value !== null &&
          before !== null && (
            <line key={id} className={classes['stroke']} x1={x(at - 1)} y1={y(before)} x2={x(at)} y2={y(value)} />
          )
        );
      })}
      {points.map(({ id, name, value }, at) => (
        <g key={id}>
          {value !== null && <circle className={classes['accent']} cx={x(at)} cy={y(value)} r="4" />}
          {isNamed(at) && (
            <text className={classes['text']} x={x(at)} y={HEIGHT - 8} textAnchor="middle">
              {name}
            </text>
          )}
        </g>
      ))}
    </Drawing>
  );
}

const [SPARK_WIDTH, SPARK_HEIGHT, SPARK_MARGIN] = [96, 24, 4];
/** Smaller differences look small. */
const LEAST_SPAN = 20;

interface SparklineProps {
  /** Contains the values, because no table with them stands next to it. */
  readonly title: string;
  /** From left to right. Null interrupts the line. */
  readonly values: readonly (number | null)[];
}

/** Values as a small line in a text, from the least to the greatest of them. The last one is marked. */
export function Sparkline({ title, values }: SparklineProps) {
  const known = values.filter((value) => value !== null);
  const middle = (Math.min(...known) + Math.max(...known)) / 2;
  const span = Math.max(LEAST_SPAN, Math.max(...known) - Math.min(...known));
  const x = (at: number): number =>
    SPARK_WIDTH - SPARK_MARGIN - ((values.length - 1 - at) * (SPARK_WIDTH - 2 * SPARK_MARGIN)) / (values.length - 1);
  const y = (value: number): number => SPARK_HEIGHT / 2 - ((value - middle) / span) * (SPARK_HEIGHT - 2 * SPARK_MARGIN);
  const last = values.at(-1) ?? null;
  return (
    <Drawing title={title} className={classes['spark']}>
      {values.map((value, at) => {
        const before = values[at - 1] ?? null;
        return (
          value !== null &&
          before !== null && (
            // oxlint-disable-next-line react/no-array-index-key -- A value has no other identity than its place.
            <line key={at} className={classes['stroke']} x1={x(at - 1)} y1={y(before)} x2={x(at)} y2={y(value)} />
          )
        );
      })}
      {last !== null && <circle className={classes['accent']} cx={x(values.length - 1)} cy={y(last)} r="3" />}
    </Drawing>
  );
}

const MARK = 8;

interface DotChartProps {
  readonly title: string;
  readonly dots: readonly {
    readonly id: string;
    /** In milliseconds. */
    readonly time: number;
    readonly value: number;
    readonly label: string;
    readonly shape: 'circle' | 'square';
  }[];
  /** The values that are marked beside the chart, from 0 to one that is not less than any value. */
  readonly levels: readonly number[];
  readonly formatValue: (value: number) => string;
  readonly formatTime: (time: number) => string;
}

/** Values at their times. A table with the same values stands next to it. */
export function DotChart({ title, dots, levels, formatValue, formatTime }: DotChartProps) {
  const times = dots.map(({ time }) => time);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const most = Math.max(...levels);
  const x = (time: number): number =>
    first === last ? RIGHT : LEFT + ((time - first) / (last - first)) * (RIGHT - LEFT);
  const y = (value: number): number => BOTTOM - (value / most) * (BOTTOM - TOP);
  return (
    <Drawing title={title} className={classes['line']}>
      {levels.map((level) => (
        <g key={level}>
          <line className={classes['grid']} x2="100%" y1={y(level)} y2={y(level)} />
          <text className={classes['text']} y={y(level) - 4}>
            {formatValue(level)}
          </text>
        </g>
      ))}
      {first < last && (
        <text className={classes['text']} y={HEIGHT - 8}>
          {formatTime(first)}
        </text>
      )}
      <text className={classes['text']} x="100%" y={HEIGHT - 8} textAnchor="end">
        {formatTime(last)}
      </text>
      {dots.map(({ id, time, value, label, shape }) =>
        shape === 'circle' ? (
          <circle key={id} className={classes['accent']} cx={`${x(time)}%`} cy={y(value)} r={MARK / 2}>
            <title>{label}</title>
          </circle>
        ) : (
          // The square is moved by half its size, which is in pixels while its place is in percent.
          <svg key={id} className={classes['mark']} x={`${x(time)}%`} y={y(value)}>
            <rect className={classes['attention']} x={-MARK / 2} y={-MARK / 2} width={MARK} height={MARK}>
              <title>{label}</title>
            </rect>
          </svg>
        ),
      )}
    </Drawing>
  );
}
