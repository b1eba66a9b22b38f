# SPDX-License-Identifier: Apache-2.0
"""make_prices.py FILE - the smallest XLSX that says what tea and coffee cost"""
import sys
import zipfile

ROWS = [('article', 'price'), ('tea', 4.5), ('coffee', 6.25)]
SHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
PACKAGE = 'http://schemas.openxmlformats.org/package/2006'


def cell(value):
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t>{value}</t></is></c>'
    return f'<c><v>{value}</v></c>'


def main():
    rows = ''.join('<row>' + ''.join(map(cell, row)) + '</row>' for row in ROWS)
    main_type = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
    files = {
        '[Content_Types].xml':
            f'<Types xmlns="{PACKAGE}/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{main_type}.sheet.main+xml"/>'
            f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{main_type}.worksheet+xml"/></Types>',
        '_rels/.rels':
            f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
            f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        'xl/workbook.xml':
            f'<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}"><sheets>'
            '<sheet name="prices" sheetId="1" r:id="r1"/></sheets></workbook>',
        'xl/_rels/workbook.xml.rels':
            f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
            f'Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        'xl/worksheets/sheet1.xml':
            f'<worksheet xmlns="{SHEET}"><sheetData>{rows}</sheetData></worksheet>',
    }
    with zipfile.ZipFile(sys.argv[1], 'w') as archive:
        for name, text in files.items():
            archive.writestr(name, '<?xml version="1.0" encoding="UTF-8"?>' + text)


main()
