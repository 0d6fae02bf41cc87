import { cn } from '@/ui/cn';
import type { FormDescription, FormFact } from '../queries';
import { PaperMarks } from './paper-mark';

function Fact({ fact, rows }: { fact: FormFact; rows: number }) {
  return (
    <div
      className={cn('min-w-0', fact.wide && 'col-span-2')}
      // Beside a wide one the others fill the right half.
      style={fact.wide ? { gridRow: `span ${rows}` } : undefined}
    >
      <dt className="text-caps text-muted">{fact.label}</dt>
      <dd className="mt-0.5 text-sm wrap-anywhere">
        <bdi className={cn('whitespace-pre-line', fact.strong && 'font-semibold')}>{fact.value}</bdi>
        {fact.details.map((detail) => (
          <bdi key={detail} className="block whitespace-pre-line text-muted">
            {detail}
          </bdi>
        ))}
        <PaperMarks marks={fact.marks} />
      </dd>
    </div>
  );
}

/** The facts of a form, in four columns. */
export function PaperFacts({ sections }: Pick<FormDescription, 'sections'>) {
  return sections.map(({ title, facts }) => (
    <section key={title} aria-label={title} className="break-inside-avoid border-b border-line2 py-4">
      <dl className="grid grid-cols-4 gap-x-5 gap-y-4 @max-lg:grid-cols-2">
        {facts.map((fact) => (
          <Fact key={fact.label} fact={fact} rows={Math.ceil((facts.length - 1) / 2)} />
        ))}
      </dl>
    </section>
  ));
}
