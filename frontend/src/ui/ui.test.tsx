import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { Package, Plus, Trash2, X } from 'lucide-react';
import { describe, expect, it, vi } from 'vitest';
import { expectAccessible } from '@/test/axe';
import { renderParts } from '@/test/render';
import { Button, IconButton } from './button';
import { Checkbox } from './checkbox';
import { DateTime } from './date-time';
import { Dialog, DialogContent, DialogTrigger } from './dialog';
import { DropZone } from './drop-zone';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from './dropdown-menu';
import { Fact, Facts, Panel, PanelHead } from './panel';
import { Field } from './field';
import { Input, Select } from './input';
import { Count, Kbd, Tag } from './tag';
import { Note } from './note';
import { Popover, PopoverContent, PopoverTrigger } from './popover';
import { ProgressBar, SegmentedBar } from './progress-bar';
import { RadioCard, RadioCardGroup } from './radio-card';
import { Skeleton } from './skeleton';
import { StateView } from './state-view';
import { StatusChip } from './status-chip';
import { Table } from './table';
import { ViewTabs } from './tabs';
import { Timeline } from './timeline';
import { toast } from './toast';

it('shows what stands still without a finding of axe', async () => {
  await renderParts(
    <>
      <Button variant="primary" icon={Package}>
        Save
      </Button>
      <Button asChild>
        <a href="/x">Link</a>
      </Button>
      <IconButton icon={X} label="Close" />
      <Panel aria-labelledby="items">
        <PanelHead id="items" title="Items" note="2 lines" tools={<Kbd>/</Kbd>} line />
        <Facts columns={3}>
          <Fact label="Driver" value={null} empty="Unassigned" />
          <Fact label="Trucker" value="Habagat Fleet" wide />
        </Facts>
      </Panel>
      <Note tone="warn" title="Careful" action={<Button>Do it</Button>}>
        Some rows failed
      </Note>
      <ViewTabs
        label="Views"
        current="all"
        tabs={[
          { id: 'all', label: 'All', to: '/', count: 12 },
          { id: 'late', label: 'Late', to: '/late' },
        ]}
      />
      <StatusChip kind="delivery" status="Complete_With_Variance" />
      <StatusChip kind="shipment" status="Partial" size={24} />
      <StatusChip kind="source" status="Disabled" />
      <StatusChip kind="upload" status="imported_with_errors" />
      <Tag tone="accent" icon={Package}>
        admin
      </Tag>
      <Count>1,284</Count>
      <Skeleton className="h-4" />
      <ProgressBar label="Upload" value={0.4} />
      <ProgressBar label="Refresh" thin />
      <SegmentedBar
        label="Rows"
        segments={[
          { tone: 'ok', label: 'Imported', value: 8 },
          { tone: 'bad', label: 'Failed', value: 2 },
        ]}
      />
      <Timeline
        label="Status timeline"
        entries={[
          { id: '1', icon: Package, tone: 'ok', title: 'Complete no variance', meta: 'today' },
          { id: '2', icon: Package, title: 'Pending', text: 'Created' },
        ]}
      />
      {(['empty', 'no-match', 'loading', 'error', 'forbidden', 'fatal'] as const).map((kind) => (
        <StateView key={kind} kind={kind} title={kind} text="text" actions={<Button>Retry</Button>} />
      ))}
    </>,
  );
  expect(screen.getByText('Complete with variance')).toBeInTheDocument();
  expect(screen.getByText('Imported with errors')).toBeInTheDocument();
  expect(screen.getByText('Unassigned')).toHaveClass('text-muted');
  expect(screen.getByRole('link', { name: /^All/ })).toHaveAttribute('aria-current', 'page');
  expect(screen.getByRole('progressbar', { name: 'Upload' })).toHaveAttribute('aria-valuenow', '40');
  expect(screen.getByRole('progressbar', { name: 'Refresh' })).not.toHaveAttribute('aria-valuenow');
  expect(screen.getByRole('img', { name: 'Rows: Imported 8, Failed 2' })).toBeInTheDocument();
  await expectAccessible();
});

describe('form controls', () => {
  it('are named, described and marked by their field', async () => {
    await renderParts(
      <>
        <Field label="Trucker" error="Trucker is required" required>
          <Input />
        </Field>
        <Field label="Source" hint="Where the file comes from" optional>
          <Select>
            <option>Warehouse file</option>
          </Select>
        </Field>
        <Checkbox label="All" indeterminate />
        <RadioCardGroup legend="When a Delivery Doc exists">
          <RadioCard name="rule" value="skip" label="Skip it" defaultChecked />
          <RadioCard name="rule" value="update" label="Update it" text="Keeps the status" />
        </RadioCardGroup>
      </>,
    );
    const trucker = screen.getByRole('textbox', { name: 'Trucker' });
    expect(trucker).toBeInvalid();
    expect(trucker).toHaveAccessibleDescription('Trucker is required');
    expect(trucker).toHaveAttribute('aria-required', 'true');
    expect(screen.getByRole('combobox', { name: /Source/ })).toHaveAccessibleDescription(
      'Where the file comes from',
    );
    expect(screen.getByRole('checkbox', { name: 'All' })).toBePartiallyChecked();
    await expectAccessible();
  });
});

describe('things that float', () => {
  it('open a dialog, keep the focus in it and give it back', async () => {
    const { user } = await renderParts(
      <Dialog>
        <DialogTrigger asChild>
          <Button>Undo</Button>
        </DialogTrigger>
        <DialogContent title="Undo this import?" description="It removes 604 deliveries">
          <Field label="Reason">
            <Input />
          </Field>
        </DialogContent>
      </Dialog>,
    );
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    const dialog = screen.getByRole('dialog', { name: 'Undo this import?' });
    expect(dialog).toHaveAccessibleDescription('It removes 604 deliveries');
    await expectAccessible(dialog);
    await user.keyboard('{Escape}');
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Undo' })).toHaveFocus();
  });

  it('open a menu by keyboard and run what is chosen', async () => {
    const remove = vi.fn<() => void>();
    const { user } = await renderParts(
      <DropdownMenu>
        <DropdownMenuTrigger asChild>
          <Button>More</Button>
        </DropdownMenuTrigger>
        <DropdownMenuContent>
          <DropdownMenuLabel>Row</DropdownMenuLabel>
          <DropdownMenuSeparator />
          <DropdownMenuItem icon={Trash2} danger onSelect={remove}>
            Remove
          </DropdownMenuItem>
        </DropdownMenuContent>
      </DropdownMenu>,
    );
    screen.getByRole('button', { name: 'More' }).focus();
    await user.keyboard('{Enter}');
    await expectAccessible(await screen.findByRole('menu'));
    await user.keyboard('{Enter}');
    expect(remove).toHaveBeenCalledOnce();
  });

  it('starts on the first field of a dialog with a form', async () => {
    const { user } = await renderParts(
      <Dialog>
        <DialogTrigger asChild>
          <Button>Rename</Button>
        </DialogTrigger>
        <DialogContent title="Rename">
          <form>
            <Input aria-label="Name" />
          </form>
        </DialogContent>
      </Dialog>,
    );
    await user.click(screen.getByRole('button', { name: 'Rename' }));
    expect(await screen.findByRole('textbox', { name: 'Name' })).toHaveFocus();
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.getByRole('button', { name: 'Rename' })).toHaveFocus());
  });

  it('open a popover', async () => {
    const { user } = await renderParts(
      <>
        <Popover>
          <PopoverTrigger asChild>
            <Button>Filter</Button>
          </PopoverTrigger>
          <PopoverContent aria-label="Filter">Fields</PopoverContent>
        </Popover>
      </>,
    );
    await user.click(screen.getByRole('button', { name: 'Filter' }));
    await expectAccessible(screen.getByRole('dialog', { name: 'Filter' }));
  });

  it('open a popover without the keyboard of a phone', async () => {
    const { matchMedia } = window;
    const { user } = await renderParts(
      <Popover>
        <PopoverTrigger asChild>
          <Button>Filter</Button>
        </PopoverTrigger>
        <PopoverContent aria-label="Filter">
          <Input aria-label="Find a field" />
        </PopoverContent>
      </Popover>,
    );
    const press = () => user.click(screen.getByRole('button', { name: 'Filter' }));
    await press();
    expect(screen.getByRole('textbox')).toHaveFocus();
    await press();
    window.matchMedia = (query) => ({ ...matchMedia(query), matches: query === '(pointer: coarse)' });
    await press();
    window.matchMedia = matchMedia;
    expect(screen.getByRole('dialog', { name: 'Filter' })).toHaveFocus();
  });
});

it('lets text of any script run its way', async () => {
  await renderParts(
    <>
      <Facts>
        <Fact label="Customer" value="شركة النور" />
      </Facts>
      <Field label="Name">
        <Input />
      </Field>
    </>,
  );
  expect(screen.getByText('شركة النور')).toHaveAttribute('dir', 'auto');
  expect(screen.getByRole('textbox', { name: 'Name' })).toHaveAttribute('dir', 'auto');
});

describe('the tooltip', () => {
  it('names an icon button and its key, on hover and on focus, and goes by Escape', async () => {
    const { user } = await renderParts(<IconButton icon={Plus} label="Add" shortcut="a" />);
    const button = screen.getByRole('button', { name: 'Add' });
    await user.hover(button);
    expect(await screen.findByRole('tooltip')).toHaveTextContent('Adda');
    await user.unhover(button);
    await waitFor(() => expect(screen.queryByRole('tooltip')).not.toBeInTheDocument());
    await user.tab();
    expect(button).toHaveFocus();
    expect(await screen.findByRole('tooltip')).toBeInTheDocument();
    await user.keyboard('{Escape}');
    expect(screen.queryByRole('tooltip')).not.toBeInTheDocument();
  });

  it('stays away from a button that was just pressed', async () => {
    const { user } = await renderParts(<IconButton icon={Plus} label="Add" />);
    await user.hover(screen.getByRole('button', { name: 'Add' }));
    await screen.findByRole('tooltip');
    await user.click(screen.getByRole('button', { name: 'Add' }));
    expect(screen.queryByRole('tooltip')).not.toBeInTheDocument();
  });

  it('appears on an element that the focus had to scroll to', async () => {
    const { user } = await renderParts(<IconButton icon={Plus} label="Add" />);
    await user.tab();
    fireEvent.scroll(document);
    expect(await screen.findByRole('tooltip')).toHaveTextContent('Add');
    fireEvent.scroll(document);
    expect(screen.getByRole('tooltip')).toBeInTheDocument();
  });

  it('goes when an element is scrolled away from the pointer', async () => {
    const { user } = await renderParts(<IconButton icon={Plus} label="Add" />);
    await user.hover(screen.getByRole('button', { name: 'Add' }));
    await screen.findByRole('tooltip');
    fireEvent.scroll(document);
    expect(screen.queryByRole('tooltip')).not.toBeInTheDocument();
  });

  it.each([
    ['head', { headTip: 'Nov 13 to Nov 19' }, 'Nov 13 to Nov 19'],
    ['cell', { tip: () => 'Nov 20, 2026 3:04 PM' }, 'Nov 20, 2026 3:04 PM'],
  ])('of a %s of a table is shown on focus, too', async (_, tips, text) => {
    const column = { id: 'seen', header: 'Seen', render: () => '7 min ago', ...tips };
    const { user } = await renderParts(<Table look="panel" columns={[column]} rows={[{}]} rowKey={() => 'only'} />);
    await user.tab();
    expect(await screen.findByRole('tooltip')).toHaveTextContent(text);
  });

  it('says how long ago a date was, as its description', async () => {
    const at = new Date(Date.now() - 3 * 3_600_000 - 1000).toISOString();
    const { user } = await renderParts(<DateTime instant={at} />);
    await user.tab();
    expect(await screen.findByRole('tooltip')).toHaveTextContent('3 hours ago');
    expect(document.activeElement).toHaveAccessibleDescription('3 hours ago');
  });

  it('shows a text in full only where it is cut off', async () => {
    const { user } = await renderParts(
      <>
        <p data-tip-cut>Short</p>
        <p data-tip-cut>A very long name</p>
      </>,
    );
    const long = screen.getByText('A very long name');
    Object.defineProperties(long, { scrollWidth: { value: 200 }, innerText: { value: 'A very long name' } });
    await user.hover(long);
    expect(await screen.findByRole('tooltip')).toHaveTextContent('A very long name');
    await user.hover(screen.getByText('Short'));
    await waitFor(() => expect(screen.queryByRole('tooltip')).not.toBeInTheDocument());
  });

  it('shows after a tap, until the next one, and again', async () => {
    const { user } = await renderParts(<p data-tip="Nov 20, 2026">7 min ago</p>);
    const text = screen.getByText('7 min ago');
    for (let time = 0; time < 2; time += 1) {
      await user.pointer({ keys: '[TouchA]', target: text });
      expect(await screen.findByRole('tooltip')).toHaveTextContent('Nov 20, 2026');
      await user.pointer({ keys: '[TouchA]', target: document.body });
      expect(screen.queryByRole('tooltip')).not.toBeInTheDocument();
    }
  });

  it('does not get in the way of a button that is tapped', async () => {
    const { user } = await renderParts(<IconButton icon={Plus} label="Add" />);
    await user.pointer({ keys: '[TouchA]', target: screen.getByRole('button', { name: 'Add' }) });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(screen.queryByRole('tooltip')).not.toBeInTheDocument();
  });
});

it('scrolls the current tab into sight', async () => {
  const box = vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
    return this.matches('[aria-current]') ? new DOMRect(400, 0, 80, 44) : new DOMRect(0, 0, 390, 44);
  });
  const tabs = ['Today', 'Late'].map((label) => ({ id: label, label, to: `/${label}` }));
  await renderParts(<ViewTabs label="Views" tabs={tabs} current="Late" />);
  expect(screen.getByRole('list')).toHaveProperty('scrollLeft', 122);
  box.mockRestore();
});

it('takes a file from the drop zone, by the button too', async () => {
  const onFile = vi.fn<(file: File) => void>();
  const { user } = await renderParts(
    <DropZone title="Drop the file" chooseLabel="Choose file" accept=".csv" onFile={onFile} />,
  );
  await expectAccessible();
  const file = new File(['a'], 'a.csv', { type: 'text/csv' });
  await user.upload(screen.getByLabelText('Choose file', { selector: 'input' }), file);
  expect(onFile).toHaveBeenCalledWith(file);
});

it('says errors at once and success politely', async () => {
  await renderParts(<p>Page</p>);
  toast.error('An error has occurred');
  toast.success('Update Completed!');
  expect(await screen.findByRole('alert', { name: '' })).toBeInTheDocument();
  await waitFor(() => expect(screen.getByText('Update Completed!')).toBeInTheDocument());
  expect(screen.getByText('An error has occurred').closest('[aria-live]')).toHaveAttribute(
    'aria-live',
    'assertive',
  );
  expect(screen.getByText('Update Completed!').closest('[aria-live]')).toHaveAttribute(
    'aria-live',
    'polite',
  );
});

it('draws what is only read as a table whose rows and columns have names', async () => {
  await renderParts(
    <Table
      look="panel"
      caption="Loads"
      columns={[
        { id: 'driver', header: 'Driver', render: ({ name }) => name, names: true },
        { id: 'load', header: 'Load', render: ({ load }) => `${load} kg`, tip: ({ load }) => `${load} kilograms`, end: true },
      ]}
      rows={[{ name: 'Ana', load: 12 }, { name: 'Ben', load: 9 }]}
      rowKey={({ name }) => name}
    />,
  );
  const table = within(screen.getByRole('table', { name: 'Loads' }));
  expect(table.getAllByRole('columnheader').map((head) => head.textContent)).toEqual(['Driver', 'Load']);
  expect(table.getAllByRole('rowheader').map((head) => head.textContent)).toEqual(['Ana', 'Ben']);
  const load = table.getByRole('cell', { name: '9 kg' });
  expect(within(load).getByText('9 kg')).toHaveAttribute('data-tip', '9 kilograms');
  await expectAccessible();
});
