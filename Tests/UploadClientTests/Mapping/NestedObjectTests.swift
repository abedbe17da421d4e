import Foundation
import Testing
import UploadClient
import Uploads

@Suite struct NestedObjectTests {
    static let ticket = Ticket(number: "4711", address: Samples.url, expires: Samples.time)
    let mapper = ObjectMapper()

    init() throws {
        try mapper.setUpMapping(type: "UploadSession", to: Ticket.self, fields: Ticket.fields)
        try mapper.setUpMapping(
            type: "Album", to: Album.self, fields: ["name": "title", "sessions": "tickets", "checkedOn": "checked"])
    }

    @Test func `objects in the fields of a mapped object are mapped both ways, in arrays too`() throws {
        let json: JSONValue = [
            "type": "Album", "name": "Cats", "cover": Samples.sessionJSON,
            "sessions": [Samples.sessionJSON, Samples.sessionJSON], "checkedOn": "2026-11-22T08:00:00.250Z",
        ]
        let album = try #require(try mapper.object(from: json) as? Album)
        #expect(album.title == "Cats")
        #expect(album.cover == Self.ticket)
        #expect(album.tickets == [Self.ticket, Self.ticket])
        #expect(album.checked == Samples.time)
        #expect(try mapper.json(from: album) == json)
    }

    @Test func `an object without a type in a field is what the property says`() throws {
        let json: JSONValue = [
            "type": "Album", "name": "Cats", "sessions": [["id": "1", "url": "u:", "expires": "2026-11-22T08:00:00Z"]],
        ]
        #expect(try (mapper.object(from: json) as? Album)?.tickets.first?.number == "1")
    }

    @Test func `a type that is not mapped keeps its own names inside a mapped one`() throws {
        struct Place: Codable, Equatable {
            var latitude: Double
            var at: Date
        }
        struct Photo: Codable, Equatable {
            var place: Place
            var byName: [String: Place]
            var raw: JSONValue
        }
        try mapper.setUpMapping(type: "Photo", to: Photo.self, fields: ["where": "place"])
        let place = Place(latitude: 48, at: Samples.time)
        let photo = Photo(place: place, byName: ["home": place], raw: ["type": "UploadSession", "id": "x"])
        let placeJSON: JSONValue = ["latitude": .number(48), "at": "2026-11-22T08:00:00.250Z"]
        let json: JSONValue = [
            "type": "Photo", "where": placeJSON, "byName": ["home": placeJSON],
            "raw": ["type": "UploadSession", "id": "x"],
        ]
        #expect(try mapper.json(from: photo) == json)
        #expect(try mapper.object(from: json) as? Photo == photo)
    }

    @Test func `a value in a property is written as what it is, also where the property says a class above it`() throws
    {
        class Shape: Codable { var name = "shape" }
        final class Circle: Shape {}
        struct Drawing: Codable { var shapes: [Shape] }
        try mapper.setUpMapping(type: "Shape", to: Shape.self)
        try mapper.setUpMapping(type: "Circle", to: Circle.self, fields: ["title": "name"])
        try mapper.setUpMapping(type: "Drawing", to: Drawing.self)
        #expect(
            try mapper.json(from: Drawing(shapes: [Shape(), Circle()])) == [
                "type": "Drawing",
                "shapes": [["type": "Shape", "name": "shape"], ["type": "Circle", "title": "shape"]],
            ])
    }

    @Test func `a type with its own code for containers goes both ways`() throws {
        try mapper.setUpMapping(type: "Box", to: Nested.self, fields: ["outside": "outer"])
        let value = Nested(name: "n", numbers: [1, 2])
        let json: JSONValue = [
            "type": "Box", "outside": ["name": "n", "numbers": [1, 2, .null]], "super": ["kind": "base"],
        ]
        #expect(try mapper.json(from: value) == json)
        #expect(try mapper.object(from: json) as? Nested == value)
    }

    @Test func `dictionaries of objects are written element by element, and nil in them is null`() throws {
        let none: Ticket? = nil
        #expect(
            try mapper.json(from: ["a": Self.ticket, "b": none] as [String: Any?]) == [
                "a": Samples.sessionJSON, "b": .null,
            ])
        #expect(try mapper.json(from: [Self.ticket, none]) == [Samples.sessionJSON, .null])
        #expect(try mapper.json(from: none) == nil)
        #expect(try mapper.json(from: Optional(Self.ticket)) == Samples.sessionJSON)
    }

    @Test func `what JSONSerialization makes is JSON`() throws {
        let text = #"{"a":[1,-2,2.5,true,false,null,"x"],"big":9223372036854775807,"one":1,"zero":0}"#
        let foundation = try JSONSerialization.jsonObject(with: Data(text.utf8))
        #expect(try mapper.json(from: foundation) == WireJSON.decode(JSONValue.self, from: Data(text.utf8)))
        #expect(try mapper.json(from: NSNull()) == .null)
        #expect(try mapper.json(from: NSNumber(value: true)) == true)
        #expect(try mapper.json(from: NSNumber(value: 1)) == 1)
        #expect(try mapper.json(from: NSNumber(value: 2.5)) == .number(2.5))
        #expect(try mapper.json(from: NSArray(array: ["a", NSNumber(value: 0), NSNull()])) == ["a", 0, .null])
        #expect(try mapper.json(from: NSDictionary(dictionary: ["a": NSString("b")])) == ["a": "b"])
        #expect(try mapper.json(from: NSDate(timeIntervalSince1970: 1)) == "1970-01-01T00:00:01.000Z")
    }
}

/// Uses every kind of container by hand.
private struct Nested: Codable, Equatable {
    var name: String
    var numbers: [Int]

    private enum Key: String, CodingKey { case outer }
    private enum Inner: String, CodingKey { case name, numbers, kind }

    init(name: String, numbers: [Int]) {
        self.name = name
        self.numbers = numbers
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let inner = try container.nestedContainer(keyedBy: Inner.self, forKey: .outer)
        name = try inner.decode(String.self, forKey: .name)
        var list = try inner.nestedUnkeyedContainer(forKey: .numbers)
        numbers = []
        while !list.isAtEnd {
            if try list.decodeNil() { break }
            numbers.append(try list.decode(Int.self))
        }
        let base = try container.superDecoder().container(keyedBy: Inner.self)
        guard try base.decode(String.self, forKey: .kind) == "base" else {
            throw DecodingError.dataCorruptedError(forKey: .kind, in: base, debugDescription: "no base")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        var inner = container.nestedContainer(keyedBy: Inner.self, forKey: .outer)
        try inner.encode(name, forKey: .name)
        var list = inner.nestedUnkeyedContainer(forKey: .numbers)
        for number in numbers { try list.encode(number) }
        try list.encodeNil()
        var base = container.superEncoder().container(keyedBy: Inner.self)
        try base.encode("base", forKey: .kind)
    }
}
