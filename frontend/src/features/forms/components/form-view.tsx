import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { checkCode } from '../check-code';
import { EVERYTHING } from '../include';
import { printPaper } from '../print-paper';
import type { Form, FormContent, FormDelivery } from '../queries';
import { usePaper } from '../use-paper';
import { CodeNote } from './code-note';
import { FormPaper } from './form-paper';
import { FormToolbar } from './form-toolbar';
import { IncludeSwitches } from './include-switches';
import { VersionList } from './version-list';

interface FormViewProps {
  delivery: FormDelivery;
  form: Form;
  content: FormContent;
  /** From a paper, if the page was opened from one. */
  code: string | undefined;
}

/** The paper on its ground, what can be done with it, and its other versions. */
export function FormView({ delivery, form, content, code }: FormViewProps) {
  const { t } = useTranslation('forms');
  const [paper, setPaper] = usePaper();
  const [included, setIncluded] = useState(EVERYTHING);
  const sheet = useRef<HTMLElement>(null);
  return (
    <div className="flex min-w-0 flex-1 max-xl:flex-col print:block">
      <div className="flex min-w-0 flex-1 flex-col print:block">
        <FormToolbar
          form={form}
          paper={paper}
          onPaper={setPaper}
          onPrint={() => void printPaper(sheet)}
        />
        <div className="flex-1 bg-raised p-4 md:p-6 print:bg-transparent print:p-0">
          {code !== undefined && (
            <div className="mx-auto mb-4 max-w-[816px] print:hidden">
              <CodeNote deliveryId={form.deliveryId} check={checkCode(code, form, delivery)} />
            </div>
          )}
          <FormPaper ref={sheet} {...{ form, content, paper, included }} />
        </div>
      </div>
      <aside
        aria-label={t('about')}
        className="w-[296px] shrink-0 border-l border-line bg-surface max-xl:w-full max-xl:border-t max-xl:border-l-0 print:hidden"
      >
        <IncludeSwitches included={included} onChange={setIncluded} />
        <VersionList
          delivery={delivery}
          shown={form.formVersion}
          correctionReason={content.correctionReason}
        />
      </aside>
    </div>
  );
}
