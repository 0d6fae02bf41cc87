import { useId } from 'react';
import { type ChartData, seriesLook } from './chart-data';
import { Swatch } from './patterns';

/** The names of the series in the colour of text, with what each is drawn with. */
export function ChartLegend({ series }: Pick<ChartData, 'series'>) {
  const id = useId();
  if (series.length < 2) return null;
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 px-4 pb-3 text-xs">
      {series.map((entry, index) => (
        <li key={entry.id} className="flex min-w-0 items-center gap-1.5">
          <Swatch id={`${id}-${index}`} look={seriesLook(entry.id, index, series.length)} />
          <span className="truncate">{entry.label}</span>
        </li>
      ))}
    </ul>
  );
}
