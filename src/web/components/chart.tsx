import { max } from 'd3-array'
import { scaleBand, scaleLinear, scalePoint } from 'd3-scale'
import { area, line } from 'd3-shape'

const WIDTH = 480
const HEIGHT = 200
const MARGIN = { top: 20, right: 8, bottom: 32, left: 52 }
const X_LABELS = 6

export interface Series {
  label: string
  /** One value a day, beside `days`. */
  values: readonly number[]
}

/** Values by day as lines, or as bars of one series: those of a day where it is pointed at, all as a table below. */
export function DayChart({
  title,
  days,
  series,
  kind = 'line',
  format = (value) => value.toLocaleString('en-US'),
  axisFormat = format,
}: {
  title: string
  /** As `2026-11-21`, in order. */
  days: readonly string[]
  /** At most three. */
  series: readonly Series[]
  kind?: 'line' | 'bars'
  format?: (value: number) => string
  /** The same beside the axis, where there is little room. */
  axisFormat?: (value: number) => string
}) {
  const top = max(series.flatMap(({ values }) => [...values])) || 1
  const y = scaleLinear([0, top], [HEIGHT - MARGIN.bottom, MARGIN.top]).nice(4)
  // Small values can read alike once they are rounded: a line for each label is enough.
  const ticks = new Map(
    y
      // Of few things there is no fifth of one.
      .ticks(Math.max(1, Math.min(4, top)))
      .toReversed()
      .map((tick) => [axisFormat(tick), tick]),
  )
  const range: [number, number] = [MARGIN.left, WIDTH - MARGIN.right]
  const point = scalePoint([...days], range).padding(0.5)
  const band = scaleBand([...days], range).padding(0.25)
  const step = Math.max(1, Math.ceil(days.length / X_LABELS))
  return (
    <figure class="chart">
      <figcaption>
        {title}
        {series.length > 1 &&
          series.map(({ label }, index) => <span class={`key series-${index + 1}`}>{label}</span>)}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={title}>
        {[...ticks].map(([label, tick]) => (
          <g>
            <line class="grid" x1={range[0]} x2={range[1]} y1={y(tick)} y2={y(tick)} />
            <text x={MARGIN.left - 8} y={y(tick) + 4} text-anchor="end">
              {label}
            </text>
          </g>
        ))}
        {days
          .filter((_, index) => index % step === 0)
          .map((day) => (
            <text x={point(day)} y={HEIGHT - 4} text-anchor="middle">
              {day.slice(5)}
            </text>
          ))}
        {series.map(({ values }, index) => {
          const look = `series-${index + 1}`
          if (kind === 'bars') {
            return values.map((value, at) => (
              <rect
                class={`${look} bar`}
                x={band(days[at] ?? '')}
                width={band.bandwidth()}
                y={y(value)}
                height={Math.max(0, y(0) - y(value))}
                rx={2}
              />
            ))
          }
          const points = values.map((value, at): [number, number] => [
            point(days[at] ?? '') ?? 0,
            y(value),
          ])
          return (
            <g>
              {index === 0 && <path class={`${look} area`} d={area().y0(y(0))(points) ?? ''} />}
              <path class={`${look} line`} d={line()(points) ?? ''} />
            </g>
          )
        })}
        {days.map((day, at) => {
          const x = point(day) ?? 0
          const values = series.map(({ values }) => format(values[at] ?? 0)).join(' · ')
          return (
            <g class="day">
              <rect x={x - point.step() / 2} width={point.step()} y={0} height={HEIGHT} />
              <line x1={x} x2={x} y1={MARGIN.top} y2={HEIGHT - MARGIN.bottom} />
              <text x={x} y={MARGIN.top - 8} text-anchor={anchorAt(at / days.length)}>
                {`${day.slice(5)}: ${values}`}
              </text>
            </g>
          )
        })}
      </svg>
      <details>
        <summary>Figures</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Day</th>
              {series.map(({ label }) => (
                <th scope="col" class="end">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map((day, at) => (
              <tr>
                <td>{day}</td>
                {series.map(({ values }) => (
                  <td class="end">{format(values[at] ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}

/** Text over a day stays within the drawing at its ends. */
function anchorAt(share: number): 'start' | 'middle' | 'end' {
  if (share < 0.25) return 'start'
  return share > 0.75 ? 'end' : 'middle'
}

/** How many come as far as each step, as bars under each other with the share of the step before. */
export function Funnel({
  title,
  steps,
}: {
  title: string
  steps: readonly { label: string; count: number }[]
}) {
  const x = scaleLinear([0, max(steps, ({ count }) => count) || 1], [0, WIDTH])
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <dl>
        {steps.map(({ label, count }, index) => {
          const before = steps[index - 1]?.count
          return (
            <>
              <dt>{label}</dt>
              <dd>
                {count.toLocaleString('en-US')}
                {before ? <small>{` · ${Math.round((count / before) * 100)} %`}</small> : null}
                <svg viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none" aria-hidden="true">
                  <rect
                    class="series-1 bar"
                    width={count === 0 ? 0 : Math.max(2, x(count))}
                    height={10}
                  />
                </svg>
              </dd>
            </>
          )
        })}
      </dl>
    </figure>
  )
}
