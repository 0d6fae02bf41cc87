import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Note } from '@/ui/note';
import { checkCode } from '../check-code';
import type { Part } from '../parts';
import { printPaper } from '../print-paper';
import type { Form, FormDelivery, FormDescription } from '../queries';
import { useDescription } from '../use-description';
import { usePaper } from '../use-paper';
import { CodeNote } from './code-note';
import { FormPaper } from './form-paper';
import { FormToolbar } from './form-toolbar';
import { IncludeSwitches } from './include-switches';
import { VersionList } from './version-list';

interface FormViewProps {
  delivery: FormDelivery;
  form: Form;
  complete: FormDescription;
  /** From a paper, if the page was opened from one. */
  code: string | undefined;
}

/** The paper on its ground, what can be done with it, and its other versions. */
export function FormView({ delivery, form, complete, code }: FormViewProps) {
  const { t } = useTranslation('forms');
  const [paper, setPaper] = usePaper();
  const [without, setWithout] = useState<readonly Part[]>([]);
  const { description, isPending, error } = useDescription(form, complete, without);
  const sheet = useRef<HTMLElement>(null);
  return (
    <div className="flex min-w-0 flex-1 max-xl:flex-col print:block">
      <div className="flex min-w-0 flex-1 flex-col print:block">
        <FormToolbar
          form={form}
          paper={paper}
          without={without}
          onPaper={setPaper}
          onPrint={() => void printPaper(sheet)}
        />
        <div className="flex-1 bg-raised p-4 md:p-6 print:bg-transparent print:p-0">
          {code !== undefined && (
            <div className="mx-auto mb-4 max-w-[816px] print:hidden">
              <CodeNote deliveryId={form.deliveryId} check={checkCode(code, form, delivery)} />
            </div>
          )}
          {error && (
            <Note tone="bad" role="alert" title={t('include.failed')} className="mx-auto mb-4 max-w-[816px] print:hidden" />
          )}
          <FormPaper ref={sheet} {...{ form, description, paper, isPending }} />
        </div>
      </div>
      <aside
        aria-label={t('about')}
        className="w-[296px] shrink-0 border-l border-line bg-surface max-xl:w-full max-xl:border-t max-xl:border-l-0 print:hidden"
      >
        <IncludeSwitches without={without} onChange={setWithout} />
        <VersionList
          delivery={delivery}
          shown={form.formVersion}
          correctionReason={form.content?.correctionReason ?? null}
        />
      </aside>
    </div>
  );
}
