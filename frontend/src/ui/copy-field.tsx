import { Copy } from 'lucide-react';
import { type ReactNode, type Ref, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './button';
import { cn } from './cn';
import { controlClasses } from './input';
import { Field, useFieldControl } from './field';
import { toast } from './toast';

interface CopyFieldProps {
  label: ReactNode;
  hint?: ReactNode;
  text: string;
}

/** Read-only text with a copy button. Focusing it selects the text, in case the browser blocks copying. */
export function CopyField({ label, hint, text }: CopyFieldProps) {
  const { t } = useTranslation('common');
  const box = useRef<HTMLTextAreaElement>(null);

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      toast.success(t('copied'));
    } catch {
      box.current?.focus();
      toast.error(t('copyFailed'));
    }
  }

  return (
    <div className="flex flex-col items-start gap-3">
      <Field label={label} hint={hint} className="self-stretch">
        <CopyText ref={box} text={text} />
      </Field>
      <Button variant="primary" icon={Copy} onClick={() => void copy()}>
        {t('copy')}
      </Button>
    </div>
  );
}

function CopyText({ text, ref }: { text: string; ref: Ref<HTMLTextAreaElement> }) {
  const control = useFieldControl({});
  return (
    <textarea
      {...control}
      ref={ref}
      readOnly
      rows={3}
      value={text}
      spellCheck={false}
      onFocus={({ target }) => target.select()}
      className={cn(
        controlClasses,
        '[field-sizing:content] resize-none px-2.5 py-2 text-sm wrap-anywhere pointer-coarse:text-touch',
      )}
    />
  );
}
