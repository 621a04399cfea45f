"""The Python package rocksdict as a judge: lines of JSON in, lines of JSON out (protocol.rs).

It cannot set options from strings. What reading needs of them it takes from the OPTIONS file; a
comparator or merge operator that is not in there is "unsupported", as is all that the package has
no function for. Family names are text.
"""
import hashlib
import json
import struct
import sys

from rocksdict import (AccessType, BottommostLevelCompaction, CompactOptions, DbClosedError,
                       Options, Rdict, ReadOptions, WriteBatch)


class Unsupported(Exception):
    pass


def text(name):
    try:
        return bytes.fromhex(name).decode('utf-8')
    except UnicodeDecodeError:
        raise Unsupported('family names that are no text')


def prefixed(string):
    return struct.pack('<I', len(string)) + string


class Judge:
    def __init__(self):
        self.main = None
        self.families = {}

    def list_families(self, directory):
        return sorted(name.encode().hex() for name in Rdict.list_cf(directory))

    def open(self, directory, mode='read-only', options='', latest=False, families=(),
             transactions=None):
        self.close()
        if transactions:
            raise Unsupported('transactions')
        if latest:
            main, each = Options.load_latest(directory, ignore_unknown_options=True)
        else:
            main, each = Options(raw_mode=True), {}
        names = Rdict.list_cf(directory)
        if options:
            raise Unsupported('option strings')
        for family in families:
            if not latest and ('comparator' in family or 'merge_operator' in family):
                raise Unsupported('comparators and merge operators')
            if family.get('options', '') not in ('', 'disable_auto_compactions=true'):
                raise Unsupported('option strings')
            if family.get('comparator') == 'shortlex' or family.get('merge_operator') == 'append':
                raise Unsupported('comparators and merge operators of ours')
        each = {name: each.get(name, Options(raw_mode=True)) for name in names}
        if any(family.get('options') for family in families):
            for one in [main, *each.values()]:
                one.set_disable_auto_compactions(True)
        access = AccessType.read_only() if mode == 'read-only' else AccessType.read_write()
        self.main = Rdict(directory, main, column_families=each, access_type=access)
        self.families = {name: self.main.get_column_family(name) for name in names}

    def close(self):
        for family in self.families.values():
            family.close()
        self.families = {}
        if self.main is not None:
            self.main.close()
            self.main = None

    def family(self, name):
        try:
            return self.families[text(name)]
        except KeyError:
            raise RuntimeError('no family %s is open' % name)

    def dump(self):
        return {name.encode().hex(): content(family) for name, family in self.families.items()}

    def live_files(self):
        files = []
        for one in self.main.live_files():
            files.append({'name': one['name'].lstrip('/'),
                          'level': one['level'], 'size_bytes': one['size'],
                          'smallest': one['start_key'].hex(), 'largest': one['end_key'].hex()})
        return files

    def latest_sequence(self):
        return self.main.latest_sequence_number()

    def property(self, family, name):
        return self.family(family).property_value(name)

    def get(self, family, key):
        value = self.family(family).get(bytes.fromhex(key))
        return None if value is None else value.hex()

    def write(self, operations, sync=False, disable_wal=False):
        if sync or disable_wal:
            raise Unsupported('write options')
        batch = WriteBatch(raw_mode=True)
        for one in operations:
            if one['op'] == 'log-data':
                raise Unsupported('log data')
            family = self.main.get_column_family_handle(text(one['family']))
            if one['op'] == 'put':
                batch.put(bytes.fromhex(one['key']), bytes.fromhex(one['value']), family)
            elif one['op'] == 'delete':
                batch.delete(bytes.fromhex(one['key']), family)
            elif one['op'] == 'delete-range':
                batch.delete_range(bytes.fromhex(one['begin']), bytes.fromhex(one['end']), family)
            elif one['op'] == 'put-entity':
                names, values = zip(*[map(bytes.fromhex, pair) for pair in one['columns']])
                batch.set_default_column_family(family)
                batch.put_entity(bytes.fromhex(one['key']), list(names), list(values))
            else:
                raise Unsupported(one['op'])
        self.main.write(batch)

    def flush(self, families=()):
        for family in [self.family(name) for name in families] or self.families.values():
            family.flush(True)

    def compact(self, family):
        options = CompactOptions()
        options.set_bottommost_level_compaction(BottommostLevelCompaction.force())
        self.family(family).compact_range(None, None, options)


def content(family):
    options = ReadOptions()
    options.set_total_order_seek(True)
    place = family.iter(options)
    pairs, columns_hash, count, seen = hashlib.sha256(), hashlib.sha256(), 0, []
    error = None
    place.seek_to_first()
    while place.valid():
        key, value = place.key(), place.value()
        pairs.update(prefixed(key) + prefixed(value))
        columns = [(bytes(n), bytes(v)) for n, v in sorted(place.columns())]
        columns_hash.update(prefixed(key) + struct.pack('<I', len(columns)))
        for name, column in columns:
            columns_hash.update(prefixed(name) + prefixed(column))
        seen.append(hash((key, value)))
        count += 1
        place.next()
    try:
        place.status()
        place.seek_to_last()
        while error is None and place.valid():
            if not seen or seen.pop() != hash((place.key(), place.value())):
                error = 'read backwards, the pairs are others'
            place.prev()
        place.status()
        if seen and error is None:
            error = 'read backwards, pairs are missing'
    except Exception as status:
        error = str(status)
    found = {'count': count, 'sha256': pairs.hexdigest(), 'columns_sha256': columns_hash.hexdigest()}
    if error is not None:
        found['error'] = error
    return found


def main():
    judge = Judge()
    for line in sys.stdin:
        request = json.loads(line)
        do = request.pop('do').replace('-', '_')
        try:
            function = getattr(judge, do, None)
            if function is None or do == 'family':
                raise Unsupported(do)
            if judge.main is None and do not in ('open', 'close', 'list_families'):
                raise RuntimeError('no database is open')
            answer = {'ok': function(**request)}
        except Unsupported as what:
            answer = {'unsupported': str(what)}
        except TypeError as error:
            answer = {'unsupported': str(error)}
        except (Exception, DbClosedError) as status:
            answer = {'error': str(status)}
        print(json.dumps(answer), flush=True)


if __name__ == '__main__':
    main()
