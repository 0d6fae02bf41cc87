import { CalendarDays } from 'lucide-react';
import {
  type ClipboardEvent,
  type FocusEvent,
  Fragment,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  use,
  useId,
  useImperativeHandle,
  useRef,
} from 'react';
import type { FieldError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { isDay } from '@/lib/dates';
import { IconButton } from '@/ui/button';
import { cn } from '@/ui/cn';
import { FieldContext, FieldGroup } from '@/ui/field';
import { Input } from '@/ui/input';
import {
  type DateParts,
  joinDateTime,
  padParts,
  pastedParts,
  readParts,
  splitDateTime,
  writeParts,
} from './date-text';
import { ruleMessage } from './rule-message';

interface DateFieldProps {
  label: string;
  error: FieldError | undefined;
  hint?: ReactNode;
  optional?: boolean;
  disabled?: boolean;
  /** YYYY-MM-DD as typed so far; not necessarily a valid date. */
  value: string;
  onChange: (value: string) => void;
  onBlur?: () => void;
  ref?: Ref<HTMLInputElement>;
}

/** A date field. Takes the `field` of a `Controller` whose rules reject invalid dates. */
export function DateField(props: DateFieldProps) {
  const { label, error, hint, optional = false, disabled = false, value, onChange, onBlur, ref } =
    props;

  function leave({ currentTarget, relatedTarget }: FocusEvent) {
    if (!currentTarget.contains(relatedTarget)) onBlur?.();
  }

  return (
    <FieldGroup
      legend={label}
      hint={hint}
      error={ruleMessage(label, error)}
      required={!optional}
      optional={optional}
    >
      <div onBlur={leave}>
        <DateSegments
          {...(ref && { ref })}
          value={value}
          disabled={disabled}
          onChange={onChange}
        />
      </div>
    </FieldGroup>
  );
}

interface DateSegmentsProps {
  /** YYYY-MM-DD as typed so far; the date may not exist. */
  value: string;
  onChange: (value: string) => void;
  /** Called when the last segment is full. */
  onFull?: () => void;
  disabled?: boolean;
  /** Ref to the input of the first segment. */
  ref?: Ref<HTMLInputElement>;
}

const segments = [
  { part: 'month', length: 2, placeholder: 'mm', width: 'w-[30px]' },
  { part: 'day', length: 2, placeholder: 'dd', width: 'w-[30px]' },
  { part: 'year', length: 4, placeholder: 'yyyy', width: 'w-12' },
] as const;

/**
 * A date as three text segments, with the browser's date picker. The value is text, so that an invalid date can be
 * typed and reported.
 */
export function DateSegments(props: DateSegmentsProps) {
  const { value, onChange, onFull, disabled = false, ref } = props;
  const { t } = useTranslation('form');
  const field = use(FieldContext);
  const id = useId();
  const boxes = useRef<(HTMLInputElement | null)[]>([]);
  const picker = useRef<HTMLInputElement>(null);
  useImperativeHandle(ref, () => boxes.current[0] as HTMLInputElement, []);
  const parts = readParts(value);

  function focus(index: number) {
    if (index >= segments.length) onFull?.();
    else boxes.current[index]?.focus();
  }

  function change(part: keyof DateParts, text: string, index: number) {
    const digits = text.replace(/\D/g, '').slice(0, segments[index]?.length);
    onChange(writeParts({ ...parts, [part]: digits }));
    if (digits.length === segments[index]?.length && digits !== parts[part]) focus(index + 1);
  }

  /** Reads the inputs instead of the state, because the focus leaves a full segment before the change is rendered. */
  function padWhatStands() {
    const [month = '', day = '', year = ''] = boxes.current.map((box) => box?.value ?? '');
    const stands = { month, day, year };
    const padded = writeParts(padParts(stands));
    if (padded !== writeParts(stands)) onChange(padded);
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>, index: number) {
    // Enter submits the form while the segment keeps the focus.
    if (event.key === 'Enter') padWhatStands();
    const { value: text, selectionStart, selectionEnd } = event.currentTarget;
    const isMark = event.key.length === 1 && '/-. '.includes(event.key);
    const atStart = selectionStart === 0 && selectionEnd === 0;
    const atEnd = selectionStart === text.length;
    if (isMark && text) focus(index + 1);
    else if (event.key === 'ArrowRight' && atEnd && index < 2) focus(index + 1);
    else if ((event.key === 'ArrowLeft' || event.key === 'Backspace') && atStart && index > 0) {
      focus(index - 1);
    } else if (!isMark) return;
    event.preventDefault();
  }

  function onPaste(event: ClipboardEvent) {
    const pasted = pastedParts(event.clipboardData.getData('text'));
    if (!pasted) return;
    event.preventDefault();
    onChange(writeParts(pasted));
    focus(segments.length);
  }

  return (
    <span
      className={cn(
        'relative inline-flex h-9 items-center gap-0.5 rounded-control border bg-surface pe-1 ps-1.5 text-sm has-[input:focus-visible]:outline-2 has-[input:focus-visible]:-outline-offset-1 has-[input:focus-visible]:outline-accent pointer-coarse:h-11 pointer-coarse:text-touch',
        field?.invalid ? 'border-bad' : 'border-field',
        disabled && 'border-line bg-raised text-muted',
      )}
    >
      {segments.map(({ part, length, placeholder, width }, index) => (
        <Fragment key={part}>
          {index > 0 && (
            <span aria-hidden className="text-muted">
              /
            </span>
          )}
          <input
            ref={(box) => {
              boxes.current[index] = box;
            }}
            id={`${id}-${part}`}
            type="text"
            inputMode="numeric"
            autoComplete="off"
            aria-label={t(`date.${part}`)}
            aria-describedby={field?.describedBy}
            aria-invalid={field?.invalid || undefined}
            aria-required={field?.required || undefined}
            placeholder={placeholder}
            maxLength={length}
            disabled={disabled}
            value={parts[part]}
            onChange={({ target }) => change(part, target.value, index)}
            onKeyDown={(event) => onKeyDown(event, index)}
            onPaste={onPaste}
            onFocus={({ currentTarget }) => currentTarget.select()}
            onBlur={padWhatStands}
            className={cn(
              'h-7 rounded-box bg-transparent text-center tabular-nums placeholder:text-muted focus:bg-accent-soft focus-visible:outline-none',
              width,
            )}
          />
        </Fragment>
      ))}
      <input
        ref={picker}
        type="date"
        tabIndex={-1}
        aria-hidden
        disabled={disabled}
        value={isDay(value) ? value : ''}
        onChange={({ target }) => target.value && onChange(target.value)}
        className="pointer-events-none absolute end-0 bottom-0 h-9 w-px opacity-0"
      />
      <IconButton
        icon={CalendarDays}
        size={28}
        label={t('date.choose')}
        className="ms-1.5"
        disabled={disabled}
        onClick={() => picker.current?.showPicker()}
      />
    </span>
  );
}

interface DateTimeFieldProps {
  label: string;
  error: FieldError | undefined;
  hint?: ReactNode;
  optional?: boolean;
  disabled?: boolean;
  /** YYYY-MM-DDTHH:mm in the organization's time zone; see `toWallTime` and `fromWallTime`. */
  value: string;
  onChange: (value: string) => void;
  onBlur?: () => void;
  ref?: Ref<HTMLInputElement>;
}

/**
 * A date and time of day. Takes the `field` of a `Controller` with `dateTimeRules`. The value is the text as typed,
 * which may be invalid.
 */
export function DateTimeField(props: DateTimeFieldProps) {
  const { label, error, hint, optional = false, disabled = false, value, onChange, onBlur, ref } =
    props;
  const { t } = useTranslation('form');
  const time = useRef<HTMLInputElement>(null);
  const [date, timeOfDay] = splitDateTime(value);

  function leave({ currentTarget, relatedTarget }: FocusEvent) {
    if (!currentTarget.contains(relatedTarget)) onBlur?.();
  }

  return (
    <FieldGroup
      legend={label}
      hint={hint}
      error={ruleMessage(label, error)}
      required={!optional}
      optional={optional}
    >
      <div onBlur={leave} className="flex flex-wrap gap-2">
        <DateSegments
          {...(ref && { ref })}
          value={date}
          disabled={disabled}
          onChange={(next) => onChange(joinDateTime(next, timeOfDay))}
          onFull={() => time.current?.focus()}
        />
        <Input
          ref={time}
          type="time"
          aria-label={t('date.time')}
          value={timeOfDay}
          disabled={disabled}
          onChange={({ target }) => onChange(joinDateTime(date, target.value))}
          className="w-32"
        />
      </div>
    </FieldGroup>
  );
}
